# SPDX-License-Identifier: GPL-2.0
# The workshop. Every target is a script of harness/; see the head of each.
SHELL := /bin/bash
# What may be given; see README.md. Any other name is a typo.
VARIABLES := ACCEL AGAIN AHEAD APPEND ARCHES BASE BATCHES CONFIG CPU DO EVENTS EVENT_LISTS FUNC \
	FUNCTIONS ICOUNT JOBS KCONFIG KERNEL KERNELS LEAST LIVES \
	LOCALVERSION MACHINE MEM MINUTES MODES ONLY OTHERS PATCHES PORT PREEMPT \
	ROUNDS ROWS RUN RUNS SEED SIGNER SMP STOCK_EVENTS STOCK_OTHERS TEST TIMEOUT TORTURE_SECONDS
given := $(foreach v,$(.VARIABLES),$(if $(findstring command,$(origin $v)),$v))
unknown := $(filter-out $(VARIABLES) CCACHE_%,$(given))
$(if $(unknown),$(error no variable $(unknown); there are $(VARIABLES)))

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)
	@echo; echo "What the words in brackets may be, and more of them: README.md"

## make packages                     install the Debian packages that are missing
packages:
	@harness/packages.sh

## make tree [BASE=]                 build/linux: the base, ours and glue/
tree:
	@harness/tree.sh

## make kernel [CONFIG=]             build/CONFIG: bzImage, vmlinux, modules
kernel:
	@harness/kernel.sh $(CONFIG)

## make demo [FUNC=]                 probe a live kernel and show what comes out
demo:
	@harness/demo.sh

## make test [TEST=] [ONLY=]         all tests, or some; 40 minutes
test:
	@harness/test.sh

## make matrix [ROWS=] [DO=]         other configurations and machines; 6 h
matrix:
	@harness/matrix.sh

## make arches [ARCHES=]             other architectures, booted; hours
arches:
	@harness/arches.sh

## make coverage                     which instructions can be probed; 30 minutes
coverage:
	@harness/coverage.sh

## make torture [EVENTS=1]           probes, or events, under load; 30 minutes
torture:
	@harness/torture.sh

## make bench [OTHERS=]              what probes cost, beside stock; 45 minutes
bench:
	@harness/bench.sh

## make check [ONLY=] [ROWS=]        style and static checks; 15 minutes
check:
	@harness/check.sh

## make series [SIGNER=]             our change as patches: build/series/; 10 s
series:
	@harness/series.sh

## make series-check [ONLY=]         proves each of the patches; hours
series-check:
	@harness/series-check.sh

## make apply KERNEL=                puts them onto a kernel tree of yours
apply:
	@harness/apply.sh apply

## make unapply KERNEL=              takes them off again
unapply:
	@harness/apply.sh unapply

## make shell [CONFIG=]              a shell in the kernel, on this machine's files
shell:
	@harness/shell.sh $(CONFIG)

## make gdb [CONFIG=] [PORT=]        the same, waiting for gdb
gdb:
	@harness/gdb.sh $(CONFIG)

## make compile_commands             compile_commands.json, for clangd
compile_commands:
	@harness/compile_commands.sh $(CONFIG)

## make docs                         our documents in HTML; 10 seconds
docs:
	@harness/docs.sh

## make deb [KCONFIG=]               Debian packages of the kernel; 15 minutes
deb:
	@harness/deb.sh

## make deb-test                     install them in a Debian in QEMU, and use it
deb-test:
	@harness/deb-test.sh

## make clean                        remove build/, but for what unapply needs
clean:
	@harness/clean.sh

.DEFAULT:
	@echo "error: nothing to make is called $@; there are $$(sed -nE 's/^## make ([a-z_-]+).*/\1/p' Makefile | xargs)" >&2
	@false

.PHONY: help packages tree kernel demo test matrix arches coverage torture bench check series \
	series-check apply unapply shell gdb compile_commands docs deb deb-test clean
