# clgauss from Julia by ccall: arrays are column-major, as they lie.
#   julia solve.jl [LIBRARY]      libclgauss.so, where it is not found by its name
const libclgauss = isempty(ARGS) ? "libclgauss" : ARGS[1]
const COLUMN_MAJOR = Cint(102)

check(status) = status == 0 || error(unsafe_string(@ccall libclgauss.clgauss_last_error()::Cstring))

mutable struct Context
    handle::Ptr{Cvoid}
    function Context(device = "auto")
        handle = Ref{Ptr{Cvoid}}(C_NULL)
        check(@ccall libclgauss.clgauss_context_create(device::Cstring, 1::Cuint, handle::Ptr{Ptr{Cvoid}})::Cint)
        finalizer(c -> (@ccall libclgauss.clgauss_context_destroy(c.handle::Ptr{Cvoid})::Cint), new(handle[]))
    end
end

"""A \\ B on the context's device, to the accuracy of Float64."""
function solve(context::Context, a::Matrix{Float64}, b::VecOrMat{Float64})
    n = size(a, 1)
    n == size(a, 2) == size(b, 1) || throw(DimensionMismatch("A must be n by n, B n by any number"))
    x = similar(b)
    check(@ccall libclgauss.clgauss_dsolve(context.handle::Ptr{Cvoid}, COLUMN_MAJOR::Cint, n::Csize_t, size(b, 2)::Csize_t,
        a::Ptr{Float64}, n::Csize_t, b::Ptr{Float64}, n::Csize_t, x::Ptr{Float64}, n::Csize_t,
        C_NULL::Ptr{Cvoid}, C_NULL::Ptr{Cvoid})::Cint)
    return x
end

n = 100
a = [i == j ? 0.0 : 1 / (1 + i + 2j) for i in 1:n, j in 1:n]
b = sum(a, dims = 2)
residual = maximum(abs.(b - a * solve(Context(), a, b)))
println("largest residual ", residual)
residual <= 1e-10 || exit(1)
