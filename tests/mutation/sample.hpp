#pragma once

// What tests/mutation/smoke.py plants faults in.
namespace sample {
int sum(int first, int last, int most);
int larger(int a, int b);
}  // namespace sample
