# SPDX-License-Identifier: GPL-2.0
# The workshop. Every target is a script of harness/; see the head of each.
CONFIG ?= x86_64
SHELL := /bin/bash
export RUNS MODES TORTURE_SECONDS LIVES CONFIG BASE ONLY FUNC ACCEL SMP MEM TIMEOUT PREEMPT JOBS ICOUNT MINUTES OTHERS STOCK_OTHERS TEST APPEND CPU ROWS DO MACHINE

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make packages                 install the Debian packages that are missing
packages:
	@harness/packages.sh

## make tree [BASE=...]          build/linux: base, ours laid over, glue applied
tree: packages
	@harness/tree.sh

## make kernel [CONFIG=x86_64]   build/CONFIG: bzImage, vmlinux, modules
kernel: packages
	@harness/kernel.sh $(CONFIG)

## make demo [FUNC=name]         probe a live kernel and show what comes out
demo: packages
	@harness/demo.sh

## make test [CONFIG=] [TEST=]   all tests; ONLY= some of: kunit kselftest foreign
##                               TEST= one by its name: kprobes_table, kprobe_api
test: packages
	@harness/test.sh

## make matrix [ROWS=] [DO=]     other configurations and machines, one by one
matrix: packages
	@harness/matrix.sh

## make coverage                 which instructions can be probed, beside stock
coverage: packages
	@harness/coverage.sh

## make torture [MINUTES=30]     probes under load for long; also CONFIG= SMP=4
torture: packages
	@harness/torture.sh

## make bench [OTHERS=]          what probes cost, beside stock
bench: packages
	@harness/bench.sh

## make check [ONLY=]            style, static checks, originality of our files
check: packages
	@harness/check.sh

## make shell [CONFIG=]          a shell in the kernel, on this machine's files
shell: kernel
	@harness/shell.sh $(CONFIG)

## make clean                    remove everything that was built
clean:
	rm -rf build

.PHONY: help packages tree kernel demo test matrix coverage torture bench check shell clean
