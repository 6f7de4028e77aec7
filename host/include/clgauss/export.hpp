#pragma once
/// The symbols that a shared library of clgauss exports: those of the public headers and of
/// clgauss/lab, and no others.

#if defined(__GNUC__)
#define CLGAUSS_EXPORT [[gnu::visibility("default")]]
#define CLGAUSS_HIDDEN [[gnu::visibility("hidden")]]
#else
#define CLGAUSS_EXPORT
#define CLGAUSS_HIDDEN
#endif
