# SPDX-License-Identifier: GPL-2.0-or-later
# Builds, tests and installs nettoll: the kernel module, the command with its manual and completion, and the library.

KDIR ?= /lib/modules/$(shell uname -r)/build
# The makes below run in other directories.
override DESTDIR := $(if $(DESTDIR),$(abspath $(DESTDIR)))
DEPMOD ?= depmod

top := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
# Asked for only when a module target is made, and once.
release = $(eval release := $$(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' \
	'$(KDIR)/include/generated/utsrelease.h' 2>/dev/null))$(release)
# Each kernel has its own build directory, so that modules for several live side by side.
module_dir = $(abspath $(if $(O),$(O),$(top)/build/$(release)))
# Where there is no pahole, the module does without type information instead of failing to build.
btf = $(if $(shell command -v pahole),,CONFIG_DEBUG_INFO_BTF_MODULES=)
# Distributors sign with a key that their headers do not bring.
unsigned = $(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=)
# O is for us: kbuild would take it for its own output directory.
kbuild = $(MAKE) -C '$(KDIR)' M='$(module_dir)/kmod' O= $(if $(W),W=$(W)) $(if $(C),C=$(C)) $(btf)
tools = $(MAKE) -C '$(top)/userspace' O='$(top)/userspace/build' DESTDIR='$(DESTDIR)'

library = $(MAKE) -C '$(top)/userspace/libnettoll' O='$(top)/build/libnettoll' DESTDIR='$(DESTDIR)'

# Headers that are gone must not keep what was installed with them.
installed = $(or $(release),$(shell uname -r))

.PHONY: all module tools check demo install uninstall module_install tools_install clean help kdir_given

all: module tools

kdir_given:
	@test -n '$(release)' || { echo "no kernel headers in $(KDIR): install linux-headers-$$(uname -r), or give" \
		'KDIR=..., for instance KDIR=$$(scripts/kernel 6.12)' >&2; exit 1; }

module: kdir_given
	@'$(top)/scripts/lib/sync-source' '$(top)/kmod' '$(module_dir)/kmod'
	+@$(kbuild) modules
	@cmp -s '$(module_dir)/kmod/nettoll.ko' '$(module_dir)/nettoll.ko' || { \
		cp '$(module_dir)/kmod/nettoll.ko' '$(module_dir)/nettoll.ko.new' && \
		mv '$(module_dir)/nettoll.ko.new' '$(module_dir)/nettoll.ko'; }

tools:
	+@$(tools)
	+@$(library)

check:
	@'$(top)/scripts/check'

demo:
	@'$(top)/scripts/demo'

install: module_install tools_install

module_install: module
	+@$(kbuild) INSTALL_MOD_PATH='$(DESTDIR)' INSTALL_MOD_DIR=updates $(unsigned) modules_install
	$(if $(DESTDIR),,$(DEPMOD) -a '$(release)')

tools_install: tools
	+@$(tools) install
	+@$(library) install

uninstall:
	rm -f '$(DESTDIR)/lib/modules/$(installed)/updates/nettoll.ko'*
	$(if $(DESTDIR),,$(DEPMOD) -a '$(installed)')
	+@$(tools) uninstall
	+@$(library) uninstall

clean:
	rm -rf '$(top)/build'
	+@$(tools) clean

help:
	@echo 'make [KDIR=headers] [O=dir]  the module, as build/RELEASE/nettoll.ko or O/nettoll.ko, and the tools'
	@echo 'make module | tools          one of them (tools: userspace/build/nettoll, build/libnettoll)'
	@echo 'make check                   all tests, on all kernels, in virtual machines (scripts/check)'
	@echo 'make demo                    the UDP ladder on a 1.28 Gb/s line, in a virtual machine (scripts/demo)'
	@echo 'make install | uninstall     module to /lib/modules, the rest to PREFIX (/usr/local); honours DESTDIR'
	@echo 'make clean                   removes what was built'
	@echo
	@echo 'KDIR is /lib/modules/$$(uname -r)/build unless given; scripts/kernel 6.1 and scripts/kernel 6.12 print'
	@echo 'one for the kernels of the tests. W=1 and C=1 are passed on to the kernel'"'"'s build.'
