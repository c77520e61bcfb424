# SPDX-License-Identifier: GPL-2.0
# `make help` lists the targets. Kbuild's own variables (W=1, C=2, CF=..., V=1)
# go through to the kernel's build.

KDIR ?= /lib/modules/$(shell uname -r)/build
INSTALL_MOD_DIR ?= updates/pvnet

# Several kernels, or the debug build, do not share objects: testbed copies.
KBUILD = $(MAKE) -C $(KDIR) M=$(CURDIR)/drivers

need_headers = $(if $(wildcard $(KDIR)/Makefile),,$(error \
	no kernel headers in $(KDIR): install those of the running kernel \
	(Debian: linux-headers-amd64), or name others with make KDIR=DIRECTORY))

.DEFAULT_GOAL := all
.PHONY: all help modules modules_install clean demo testbed bench \
	check check-unit check-long check-debug check-style

all: modules		## the default: build the modules

help:			## show this list
	@sed -n 's/^\([a-z_-]*\):[^#]*## /\1\t/p' Makefile | expand -t 20
	@echo 'Variables: KDIR=DIRECTORY (kernel headers), W=1, C=2, V=1'

modules:		## build pvnet-core, pvnet-front, pvnet-back for the running kernel, or KDIR=
	$(call need_headers)
	+$(KBUILD) modules

modules_install:	## install them under updates/pvnet of that kernel (as root)
	$(call need_headers)
	+$(KBUILD) INSTALL_MOD_DIR=$(INSTALL_MOD_DIR) modules_install

clean:			## remove what the build and the checks made, but not the testbed's caches
	+$(if $(wildcard $(KDIR)/Makefile),$(KBUILD) clean)
	rm -rf build/check build/unit build/fuzz

demo:			## boot a Xen machine in QEMU and compare with the stock drivers
	tools/testbed/demo

testbed:		## build what the testbed needs: Xen, kernels, images
	tools/testbed/testbed build

bench:			## measure against the stock drivers
	tools/bench/run

check:			## all checks and tests, in the testbed too; under 30 minutes
	tools/check/run

check-style:		## the source tree's own rules; seconds
	tools/check/run style

check-unit:		## unit tests, mutants and short fuzzing; under a minute
	tools/check/run unit

check-long:		## fuzz the parsers for 10 minutes, and the testbed's full matrices: hours
	tools/check/run long

check-debug:		## the testbed's selftests on a kernel with KASAN and lockdep
	tools/check/run debug
