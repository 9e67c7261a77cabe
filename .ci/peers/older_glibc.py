"""Names of glibc 2.38 for a package that is linked with them, where glibc is older (Debian 12: 2.36)."""

import ctypes
import pathlib
import subprocess
import tempfile

SOURCE = """#include <stdlib.h>
long long __isoc23_strtoll(const char *s, char **e, int b) { return strtoll(s, e, b); }
long __isoc23_strtol(const char *s, char **e, int b) { return strtol(s, e, b); }
unsigned long long __isoc23_strtoull(const char *s, char **e, int b) { return strtoull(s, e, b); }
"""


def provide():
    """Compiles and loads them for this process; needs cc. Nothing where glibc has them."""
    if hasattr(ctypes.CDLL(None), "__isoc23_strtoll"):
        return
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "names.c"), pathlib.Path(folder, "names.so")
        source.write_text(SOURCE)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
