#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Print the header of foreign-stock.tap, the results of the base's own tests on stock:
# what they depend on. While the kept file has this header, stock need not be built
# and booted. With STOCK=kept, test.sh asks for the last line alone. After a change of a
# file below, make test ONLY=foreign makes them anew.
. "$(dirname "$0")/lib.sh"

echo "# base: $(cat "$BUILD/base.stamp" 2>/dev/null || :)"
echo "# compiler: $(gcc --version | head -n 1)"
echo "# emulator: $(qemu-system-x86_64 --version | head -n 1)"
echo "# configuration and scripts: $(cat "$HARNESS"/configs/{base,dynamic}.config \
	"$HARNESS"/{foreign,boot}.sh "$HARNESS"/guest/{init,ftracetest.sh} \
	"$HARNESS/guest.tools" | sha256sum | cut -c 1-16)"
