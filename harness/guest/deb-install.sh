#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In an installed Debian: install the packages that the host has made, and a boot
# loader that starts their kernel.
set -e
export DEBIAN_FRONTEND=noninteractive
dpkg -i /out/*.deb
grub-install /dev/vda
update-grub
ls -l /boot
