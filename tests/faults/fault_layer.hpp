#pragma once
/// The fault layer from inside the process that it stands in; fault_layer.cpp says what it does.

extern "C" {

/// The `k`-th OpenCL call from now on fails; 0: none does.
void clgauss_fail_call(long k);

/// The name of the call that failed since then; null if none did.
const char* clgauss_failed_call();

/// The bytes that calls wrote to buffers, or mapped in order to write, since this was last asked.
unsigned long clgauss_uploaded_bytes();
}
