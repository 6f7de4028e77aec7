# A solver in a model: gradients of x = A^-1 b for PyTorch, by the factors that x came from.
import numpy as np
import torch

import clgauss


class Solve(torch.autograd.Function):
    """x of a @ x = b; of the gradient g of x, that of b is A^-T g, and that of a is -(A^-T g) x^T."""

    @staticmethod
    def forward(context, a, b):
        context.factors = clgauss.lu(a.detach().numpy())
        x = torch.from_numpy(context.factors.solve(b.detach().numpy()))
        context.save_for_backward(x)
        return x

    @staticmethod
    def backward(context, g):
        (x,) = context.saved_tensors
        of_b = torch.from_numpy(context.factors.solve(np.ascontiguousarray(g.numpy()), trans="T"))
        return -(of_b @ x.T if x.ndim == 2 else torch.outer(of_b, x)), of_b


torch.manual_seed(1)
for shape in ((20,), (20, 3)):
    a = torch.randn(20, 20, dtype=torch.float64, requires_grad=True)
    b = torch.randn(*shape, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(Solve.apply, (a, b))  # beside differences of Solve itself
    Solve.apply(a, b).square().sum().backward()
    ours, a.grad = a.grad, None
    torch.linalg.solve(a, b).square().sum().backward()
    torch.testing.assert_close(ours, a.grad)
print("gradients of A and b are those of torch.linalg.solve")
