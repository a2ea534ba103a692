# SPDX-License-Identifier: GPL-2.0
# The base's MAINTAINERS with our entries in it. Usage:
#	awk -f maintainers.awk OURS BASE
# An entry is a paragraph: a name, then lines with a letter, a colon and a tab.
# One of the base's that has the name of one of ours is replaced; one of ours
# that the base has not goes between its neighbours in the alphabet.
BEGIN { RS = ""; FS = "\n" }

function is_entry(text, line) { return split(text, line, "\n") > 1 && line[2] ~ /^[A-Z]:\t/ }

FILENAME == ARGV[1] {
	if (is_entry($0))
		ours[$1] = $0
	next
}

{
	text[++n] = $0
	if (is_entry($0)) {
		name[n] = $1
		known[$1] = 1
	}
}

# The base is not quite in order: what has its initial, and is the last such.
function neighbour(new, i, at) {
	for (i = 1; i <= n; i++)
		if (substr(name[i], 1, 1) == substr(new, 1, 1) && name[i] < new)
			if (!at || name[i] > name[at])
				at = i
	return at ? at : n
}

END {
	for (new in ours)
		if (!known[new]) {
			at = neighbour(new)
			behind[at] = behind[at] "\n\n" ours[new]
		}
	for (i = 1; i <= n; i++)
		printf "%s%s%s\n", (i > 1) ? "\n" : "", \
			(name[i] in ours) ? ours[name[i]] : text[i], behind[i]
}
