# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests in which allocations fail: how they are made to, and what memory
# is not freed.
# shellcheck shell=bash

# knob FILE VALUE: of one of the fault injections.
knob() { [ ! -e "$DEBUGFS/$1" ] || echo "$2" >"$DEBUGFS/$1"; }

# All allocations that may sleep are ours to fail; nothing is said about it.
prepare() {
	local f

	for f in failslab fail_page_alloc; do
		knob $f/ignore-gfp-wait N
		knob $f/ignore-gfp-highmem N
		knob $f/min-order 0
		knob $f/verbose 0
	done
}

# follow: what this process allocates from now on is noted, and what is freed.
follow() {
	local event

	mkdir "$TRACE"
	echo 8192 >"$TRACE/buffer_size_kb"
	for event in kmem/kmalloc percpu/percpu_alloc_percpu; do
		echo "common_pid == $$" >"$TRACE/events/$event/filter"
		echo 1 >"$TRACE/events/$event/enable"
	done
	for event in kmem/kfree percpu/percpu_free_percpu; do
		echo 1 >"$TRACE/events/$event/enable"
	done
}

# Stacks of processes that ended are kept for later ones.
# shellcheck disable=SC2034 # for the tests
STACKS='__get_vm_area_node|__vmalloc_node_range_noprof'

# alive: lines "CALLER NUMBER", of what this process has allocated since
# follow(), and that has not been freed.
alive() {
	awk -v unseen="$UNSEEN" '
	function value(name) {
		if (!match($0, " " name "=[^ ]+"))
			return ""
		return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2)
	}
	$2 ~ /^entries-in-buffer/ && split($3, entries, "/") && entries[1] != entries[2] {
		print "events-lost", entries[2] - entries[1]
	}
	/ (kmalloc|percpu_alloc_percpu): / { caller[value("ptr")] = value("call_site") }
	/ (kfree|percpu_free_percpu): / { delete caller[value("ptr")] }
	END {
		for (p in caller)
			if (p !~ /^0*$|null/ && caller[p] !~ unseen)
				n[caller[p]]++
		for (c in n)
			print c, n[c]
	}' "$TRACE/trace"
}
