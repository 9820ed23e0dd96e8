#!/bin/sh
# install.sh ARCHIVE VERSION PREFIX
#
# Links the shared library of the static one that cargo built, and installs both with the header and the file for pkg-config.
# cargo links a shared library too, but its symbols have no versions: rustc has a list of symbols of its own, and linkers take
# either that or versions. ELF systems only.
set -eu

if [ $# -ne 3 ]; then
    echo "usage: install.sh ARCHIVE VERSION PREFIX" >&2
    exit 2
fi
archive=$1 version=$2 prefix=$3
here=$(cd "$(dirname "$0")" && pwd)
major=${version%%.*}
lib=$prefix/lib
# What a static library of Rust needs of the system: `rustc --print native-static-libs`.
system="-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc"

mkdir -p "$prefix/include" "$lib/pkgconfig"
cp "$here/include/isaglot.h" "$here/include/isaglot.hpp" "$prefix/include"
cp "$archive" "$lib/libisaglot.a"
# shellcheck disable=SC2086
${CC:-cc} -shared -o "$lib/libisaglot.so.$version" \
    -Wl,--whole-archive "$archive" -Wl,--no-whole-archive -Wl,--gc-sections -Wl,-z,defs \
    -Wl,-soname,"libisaglot.so.$major" -Wl,--version-script="$here/isaglot.map" $system
ln -sf "libisaglot.so.$version" "$lib/libisaglot.so.$major"
ln -sf "libisaglot.so.$major" "$lib/libisaglot.so"
# It finds the folder by its own place, so what is installed can be moved.
sed -e "s|@VERSION@|$version|" -e "s|@SYSTEM@|$system|" \
    "$here/isaglot.pc.in" > "$lib/pkgconfig/isaglot.pc"
