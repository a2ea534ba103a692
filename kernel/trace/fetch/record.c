// SPDX-License-Identifier: GPL-2.0
/*
 * The end of an argument's program: how its value is loaded where it is needed, and
 * how it is recorded.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>

#include "build.h"
#include "text.h"

/* The value becomes @bits of it, from bit @first on. */
static void cut(struct fetch_build *b, unsigned int first, unsigned int bits, bool is_signed)
{
	struct fetch_insn *insn;

	if (bits == BITS_PER_LONG)
		return;
	insn = fetch_add(b, FETCH_OP_SHIFT);
	insn->left = BITS_PER_LONG - first - bits;
	insn->right = BITS_PER_LONG - bits;
	insn->is_signed = is_signed;
}

static int refuse_place(struct fetch_build *b)
{
	return fetch_refuse(b, -EOPNOTSUPP, FETCH_E_NOSUP_DAT_ARG, b->tree->body.at);
}

/* The first bit of a field in what @bytes hold, counted as shifts count it. */
static unsigned int shifts_to(unsigned int first, unsigned int bits, unsigned int bytes)
{
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		return bytes * BITS_PER_BYTE - first - bits;
	return first;
}

/* The bytes of memory that the member starts at. Bit fields are loaded, not copied. */
static int start_of(const struct fetch_build *b)
{
	return b->offset + b->bit / BITS_PER_BYTE;
}

static void become_value(struct fetch_build *b)
{
	b->holds = FETCH_VALUE;
	b->offset = 0;
	b->bit = 0;
	b->bits = 0;
}

/* What is within one word of a structure that is passed in registers. */
static int load_from_structure(struct fetch_build *b)
{
	unsigned int first = b->bit % BITS_PER_LONG, bits = fetch_bits_of(b);
	unsigned int word = b->bit / BITS_PER_LONG;
	bool is_signed = fetch_is_signed(b);
	int ret;

	/* A whole structure that is larger than a word shows its first one. */
	if (fetch_is_wide(b) || first + bits > BITS_PER_LONG ||
	    word >= DIV_ROUND_UP(b->place.size, sizeof(long)))
		return refuse_place(b);
	ret = fetch_load_word(b, &b->place, word);
	if (ret)
		return ret;
	cut(b, shifts_to(first, bits, sizeof(long)), bits, is_signed);
	become_value(b);
	return 0;
}

/* The smallest number that is read at once and has all the bits; 0 if there is none. */
static unsigned int bytes_around(u32 bit, unsigned int bits)
{
	unsigned int bytes;

	for (bytes = 1; bytes <= sizeof(long); bytes *= 2) {
		if (bit % (bytes * BITS_PER_BYTE) + bits <= bytes * BITS_PER_BYTE)
			return bytes;
	}
	return 0;
}

static void read_memory(struct fetch_build *b, unsigned int bytes, int offset)
{
	struct fetch_insn *insn;

	insn = fetch_add(b, b->holds == FETCH_MEMORY ? FETCH_OP_READ : FETCH_OP_READ_USER);
	insn->size = bytes;
	insn->offset = offset;
}

static int load_from_memory(struct fetch_build *b)
{
	unsigned int bits = fetch_bits_of(b), bytes, first;
	bool is_signed = fetch_is_signed(b);

	bytes = b->bits ? bytes_around(b->bit, bits) : bits / BITS_PER_BYTE;
	if (!bytes || fetch_is_wide(b))
		return refuse_place(b);
	first = b->bits ? b->bit % (bytes * BITS_PER_BYTE) : 0;
	read_memory(b, bytes, b->offset + (b->bit - first) / BITS_PER_BYTE);
	if (b->bits || bits < BITS_PER_LONG)
		cut(b, shifts_to(first, bits, bytes), bits, is_signed);
	become_value(b);
	return 0;
}

/* A member of a structure that is in a register as a whole. */
static int load_from_value(struct fetch_build *b)
{
	unsigned int bits = fetch_bits_of(b);

	if (b->bit + bits > BITS_PER_LONG)
		return refuse_place(b);
	/* What is behind a structure is not its. */
	if (b->bit || b->bits || (b->type && fetch_size_of(b)))
		cut(b, shifts_to(b->bit, bits, sizeof(long)), bits, fetch_is_signed(b));
	become_value(b);
	return 0;
}

/**
 * fetch_address() - load the address of what the program holds in memory
 * @b: the program
 *
 * Context: any.
 */
void fetch_address(struct fetch_build *b)
{
	fetch_add(b, FETCH_OP_ADD)->immediate = start_of(b);
	become_value(b);
}

/**
 * fetch_load() - load what the program holds, whatever that is
 * @b: the program
 *
 * Context: may sleep.
 *
 * Return: 0; then it holds a value. Otherwise an error, of which @b has the reason;
 * without one it is %-ENOMEM.
 */
int fetch_load(struct fetch_build *b)
{
	switch (b->holds) {
	case FETCH_STRUCT:
		return load_from_structure(b);
	case FETCH_MEMORY:
	case FETCH_USER_MEMORY:
		return load_from_memory(b);
	case FETCH_VALUE:
		return load_from_value(b);
	default:
		b->holds = FETCH_VALUE;
		return 0;
	}
}

static int refuse_type(struct fetch_build *b, enum fetch_error error)
{
	const struct fetch_text *name = &b->tree->cast.name;

	return fetch_refuse(b, -EINVAL, error, name->len ? name->at : b->tree->body.at);
}

/* From here on as often as there are elements. */
static void repeat(struct fetch_build *b, enum fetch_op op, unsigned int count, unsigned int bytes)
{
	struct fetch_insn *insn = fetch_add(b, op);

	insn->param = count;
	insn->size = bytes;
}

static void put_string(struct fetch_build *b, bool user, int offset)
{
	fetch_add(b, user ? FETCH_OP_STRING_USER : FETCH_OP_STRING)->offset = offset;
}

/*
 * An array of characters need not have a null. Where the text says that it is a string,
 * it goes on up to one: structures end with arrays of one character that are longer.
 */
static void put_characters(struct fetch_build *b, bool user, u32 nr)
{
	put_string(b, user, start_of(b));
	if (!b->tree->cast.type && nr < MAX_STRING_SIZE)
		b->code[b->nr - 1].limit = nr;
}

/* A string that a pointer to it leads to, or that is there as an array. */
static int record_characters(struct fetch_build *b, bool user)
{
	bool array;
	u32 nr;
	int ret;

	if (!fetch_is_characters(b, &array, &nr) || (array && !fetch_in_memory(b)))
		return fetch_refuse(b, -EINVAL, FETCH_E_BAD_TYPE4STR, b->tree->body.at);
	if (array) {
		put_characters(b, user, nr);
		return 0;
	}
	ret = fetch_load(b);
	if (!ret)
		put_string(b, user, 0);
	return ret;
}

/* An array of pointers to strings. */
static int record_strings(struct fetch_build *b, bool user, unsigned int count)
{
	if (!fetch_in_memory(b))
		return refuse_type(b, FETCH_E_BAD_STRING);
	repeat(b, FETCH_OP_STRINGS, count, sizeof(long));
	read_memory(b, sizeof(long), start_of(b));
	put_string(b, user, 0);
	return 0;
}

static int record_string(struct fetch_build *b, bool user, unsigned int count)
{
	user |= b->holds == FETCH_USER_MEMORY;
	if (count)
		return record_strings(b, user, count);
	if (b->type)
		return record_characters(b, user);
	if (b->holds == FETCH_VALUE || b->holds == FETCH_STRUCT)
		return refuse_type(b, FETCH_E_BAD_STRING);
	if (b->holds == FETCH_TEXT) {
		fetch_add(b, FETCH_OP_TEXT);
		return 0;
	}
	put_string(b, user, fetch_in_memory(b) ? b->offset : 0);
	return 0;
}

static int record_symbol(struct fetch_build *b, unsigned int count)
{
	int ret;

	if (count)
		return refuse_type(b, FETCH_E_BAD_STRING);
	if (b->holds == FETCH_CONSTANT || b->holds == FETCH_USER_MEMORY || fetch_is_text(b))
		return refuse_type(b, FETCH_E_BAD_SYMSTRING);
	ret = fetch_load(b);
	if (!ret)
		fetch_add(b, FETCH_OP_SYMSTR);
	return ret;
}

static void put(struct fetch_build *b, const struct fetch_type *type)
{
	struct fetch_insn *insn = fetch_add(b, FETCH_OP_PUT);

	insn->size = type->size;
	insn->is_signed = type->is_signed;
}

static void copy(struct fetch_build *b, const struct fetch_type *type)
{
	struct fetch_insn *insn;

	insn = fetch_add(b, b->holds == FETCH_MEMORY ? FETCH_OP_COPY : FETCH_OP_COPY_USER);
	insn->size = type->size;
	insn->offset = start_of(b);
}

/* A bit field of the text: of what has the size of its type. */
static int record_bits(struct fetch_build *b, const struct fetch_type *type)
{
	const struct fetch_cast *cast = &b->tree->cast;
	unsigned int bytes = min(type->size, sizeof(long)), bits = bytes * BITS_PER_BYTE;
	unsigned int word = cast->bit / bits;

	/* Of a long that is larger than a word, the word that has the bits is read. */
	if (cast->bit % bits + cast->bits > bits || (word && !fetch_in_memory(b)))
		return refuse_type(b, FETCH_E_BAD_BITFIELD);
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		word = type->size / bytes - 1 - word;
	if (fetch_in_memory(b))
		read_memory(b, bytes, start_of(b) + word * bytes);
	cut(b, cast->bit % bits, cast->bits, false);
	put(b, type);
	return 0;
}

/* A structure that is smaller than a word: what is behind it is not its. */
static bool is_part_of_word(const struct fetch_build *b, const struct fetch_type *type,
			    unsigned int count)
{
	u32 size = b->type ? fetch_size_of(b) : 0;

	return size && size < type->size && !count && !b->tree->cast.type;
}

static int record_number(struct fetch_build *b, const struct fetch_type *type, unsigned int count)
{
	int ret = 0;

	if (count && (!fetch_in_memory(b) || b->bits))
		return refuse_type(b, FETCH_E_BAD_STRING);
	if (!fetch_in_memory(b) || b->bits || is_part_of_word(b, type, count))
		ret = fetch_load(b);
	if (ret)
		return ret;
	if (count)
		repeat(b, FETCH_OP_ARRAY, count, type->size);
	if (b->tree->cast.bits)
		return record_bits(b, type);
	if (fetch_in_memory(b))
		copy(b, type);
	else
		put(b, type);
	return 0;
}

/* The word that is @word words behind the start, from a register or the stack. */
static int load_word_of_structure(struct fetch_build *b, unsigned int word)
{
	if (b->bit % BITS_PER_LONG)
		return refuse_place(b);
	return fetch_load_word(b, &b->place, b->bit / BITS_PER_LONG + word);
}

/* One of two programs. What is behind the structure is not its. */
static int put_word(struct fetch_build *b, const struct fetch_type *type, unsigned int word,
		    unsigned int bytes)
{
	int ret;

	if (fetch_in_memory(b)) {
		read_memory(b, bytes, start_of(b) + word * sizeof(long));
	} else {
		ret = load_word_of_structure(b, word);
		if (ret)
			return ret;
		cut(b, 0, bytes * BITS_PER_BYTE, false);
	}
	put(b, type);
	return 0;
}

/*
 * A structure of two words: what leads to it is done for each. A symbol's address is only
 * looked up for the first instruction.
 */
static int record_words(struct fetch_build *b, const struct fetch_type *type)
{
	unsigned int start = b->nr, last = fetch_size_of(b) - sizeof(long);
	int ret;

	if ((!fetch_in_memory(b) && b->holds != FETCH_STRUCT) ||
	    b->code[0].op == FETCH_NOP_SYMBOL || 2 * (start + 4) > FETCH_INSN_MAX)
		return fetch_refuse(b, -EINVAL, FETCH_E_NEED_TYPE, b->tree->body.at);
	ret = put_word(b, type, 0, sizeof(long));
	if (ret)
		return ret;
	fetch_add(b, FETCH_OP_END);
	memcpy(b->code + b->nr, b->code, start * sizeof(*b->code));
	b->nr += start;
	return put_word(b, type, 1, last);
}

static int choose_known_type(struct fetch_build *b, struct probe_arg *arg)
{
	if (!fetch_btf_type(b, arg))
		return 0;
	return fetch_refuse(b, -EINVAL, FETCH_E_NEED_TYPE, b->tree->body.at);
}

static int choose_enumeration(struct fetch_build *b, struct probe_arg *arg)
{
	int ret = fetch_enumeration(b, arg);

	return ret == -EINVAL ? refuse_type(b, FETCH_E_NO_ENUM) : ret;
}

/* The type that the text gives, or what is known of the value. */
static int choose_type(struct fetch_build *b, struct probe_arg *arg)
{
	const struct fetch_cast *cast = &b->tree->cast;

	arg->count = cast->count;
	if (cast->type && cast->type->enumeration)
		return choose_enumeration(b, arg);
	if (b->type && !cast->type && !b->known && !fetch_is_text(b))
		return choose_known_type(b, arg);
	if (cast->type)
		arg->type = cast->type;
	else if (fetch_is_text(b))
		arg->type = fetch_string_type();
	else
		arg->type = b->known ?: fetch_default_type();
	return 0;
}

/**
 * fetch_record() - record what the program holds
 * @b: the program
 * @arg: the argument; gets its type
 *
 * Context: may sleep.
 *
 * Return: 0, or an error, of which @b has the reason; without one it is %-ENOMEM.
 */
int fetch_record(struct fetch_build *b, struct probe_arg *arg)
{
	int ret = choose_type(b, arg);

	if (ret)
		return ret;
	arg->dynamic = !arg->type->size;
	if (arg->by_words)
		ret = record_words(b, arg->type);
	else if (!arg->dynamic)
		ret = record_number(b, arg->type, arg->count);
	else if (!strcmp(arg->type->name, "symstr"))
		ret = record_symbol(b, arg->count);
	else
		ret = record_string(b, !strcmp(arg->type->name, "ustring"), arg->count);
	fetch_add(b, FETCH_OP_END);
	return ret;
}
