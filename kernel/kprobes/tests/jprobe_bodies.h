/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of jprobe_targets.h, for jprobe_targets.c, which includes this twice:
 * JT() makes their names, and JT_TRACE says whether they are traced.
 */
JT_TRACE noinline JT_ONE(JT(one))
{
	return JT_SUM(a);
}

JT_TRACE noinline JT_SIX(JT(six))
{
	return JT_SUM(a, b, c, d, e, g);
}

JT_TRACE noinline JT_SEVEN(JT(seven))
{
	return JT_SUM(a, b, c, d, e, g, h);
}

JT_TRACE noinline JT_EIGHT(JT(eight))
{
	return JT_SUM(a, b, c, d, e, g, h, i);
}

JT_TRACE noinline JT_NINE(JT(nine))
{
	return JT_SUM(a, b, c, d, e, g, h, i, j);
}

JT_TRACE noinline JT_TEN(JT(ten))
{
	return JT_SUM(a, b, c, d, e, g, h, i, j, k);
}

JT_TRACE noinline JT_ELEVEN(JT(eleven))
{
	return JT_SUM(a, b, c, d, e, g, h, i, j, k, l);
}

JT_TRACE noinline JT_TWELVE(JT(twelve))
{
	return JT_SUM(a, b, c, d, e, g, h, i, j, k, l, m);
}

JT_TRACE noinline JT_SMALL(JT(small))
{
	return JT_SUM(a, b, c, d, e, g, h, i, j);
}

JT_TRACE noinline JT_WIDE(JT(wide))
{
	return JT_SUM(a, b, c, d, e, g, h);
}

JT_TRACE noinline JT_ASM(JT(asm))
{
	return JT_SUM(a, b, c, d, e, g, h, i);
}

JT_TRACE noinline JT_PAIR(JT(pair))
{
	return JT_SUM(a, p.a, p.b, b, q.a, q.b);
}

JT_TRACE noinline JT_BIG(JT(big))
{
	return JT_SUM(s.c[0], s.c[1], s.c[2], a, big.v[0], big.v[1],
		      big.v[2], big.v[3], big.v[4], p.a, p.b, b);
}

JT_TRACE noinline JT_HUGE(JT(huge))
{
	return jt_sum_bytes(huge.byte, sizeof(huge.byte));
}

JT_TRACE noinline JT_VARIADIC(JT(variadic))
{
	va_list list;
	u64 sum;

	va_start(list, n);
	sum = jt_sum_list(n, list);
	va_end(list);
	return sum;
}

JT_TRACE noinline JT_STRUCT(JT(struct))
{
	return (struct jt_big){ .v = { a, b, a + b, a - b, a * b } };
}
