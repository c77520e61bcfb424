#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reference values for test_stats.c, by other methods than those of the tool:
densities integrated by Simpson's rule, ranks by enumeration of every order, power
by a sum over Poisson weights. Standard library only. usage: reference.py > reference.inc

Data: Student's sleep data and the membrane data that R's manual pages of t.test and
wilcox.test use; their printed results (t = -1.8608, df = 17.776, p = 0.07939,
interval -3.3654832 to 0.2054832; paired t = -4.0621, p = 0.002833; W = 35, one-sided
p = 0.1272) agree with what this prints.
"""

import math
from itertools import combinations

SLEEP1 = (0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0)
SLEEP2 = (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)
MEMBRANE1 = (0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46)
MEMBRANE2 = (1.15, 0.88, 0.90, 0.74, 1.21)
TIED1 = (1, 2, 2, 3, 5, 5)
TIED2 = (2, 4, 5, 5, 6, 7, 8)


def simpson(f, a, b, n=4000):
    h = (b - a) / n
    return h / 3 * (f(a) + f(b) + sum((4 if i % 2 else 2) * f(a + i * h) for i in range(1, n)))


def t_density(x, df):
    return math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi) * \
        (1 + x * x / df) ** (-(df + 1) / 2)


def t_upper(t, df):
    """P(T > t)"""
    return 0.5 - math.copysign(simpson(lambda x: t_density(x, df), 0, abs(t)), t)


def t_quantile(p, df):
    lo, hi = 0, 1000
    for _ in range(80):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if 1 - t_upper(mid, df) < p else (lo, mid)
    return lo


def mean(v):
    return math.fsum(v) / len(v)


def var(v):
    return math.fsum((x - mean(v)) ** 2 for x in v) / (len(v) - 1)


def ttest(diff, se, df):
    half = t_quantile(0.975, df) * se
    return diff, se, df, diff / se, 2 * t_upper(abs(diff / se), df), diff - half, diff + half


def welch(a, b):
    va, vb = var(a) / len(a), var(b) / len(b)
    df = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) + vb ** 2 / (len(b) - 1))
    return ttest(mean(b) - mean(a), math.sqrt(va + vb), df)


def paired(a, b):
    d = [y - x for x, y in zip(a, b)]
    return ttest(mean(d), math.sqrt(var(d) / len(d)), len(d) - 1)


def u_of(a, b):
    return sum((y > x) + (y == x) / 2 for x in a for y in b)


def exact_u(a, b):
    """two-sided p by every way to choose which ranks are b's"""
    n, u = len(a) + len(b), u_of(a, b)
    low = min(u, len(a) * len(b) - u)
    all_u = [sum(c) - len(b) * (len(b) + 1) / 2 for c in combinations(range(1, n + 1), len(b))]
    return min(1, 2 * sum(x <= low for x in all_u) / len(all_u))


def normal_u(a, b):
    """as R's manual has it: tie and continuity correction"""
    n, every = len(a) + len(b), list(a) + list(b)
    ties = sum(every.count(v) ** 3 - every.count(v) for v in set(every))
    sigma = math.sqrt(len(a) * len(b) / 12 * (n + 1 - ties / (n * (n - 1))))
    z = (abs(u_of(a, b) - len(a) * len(b) / 2) - 0.5) / sigma
    return math.erfc(z / math.sqrt(2))


def beta_lower(x, a, b):
    """the regularised incomplete beta, integrated over the angle so that the ends are tame"""
    log_b = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    def f(w):
        s, c = math.sin(w), math.cos(w)
        if s <= 0 or c <= 0:
            return 2 * math.exp(-log_b) if (a == 0.5 and s <= 0) or (b == 0.5 and c <= 0) else 0
        return 2 * math.exp((2 * a - 1) * math.log(s) + (2 * b - 1) * math.log(c) - log_b)
    return simpson(f, 0, math.asin(math.sqrt(x)), 2000)


def power(df, ncp):
    """P(|T'| > c): T'^2 is a noncentral F, a Poisson mixture of betas"""
    c = t_quantile(0.975, df)
    x, total = c * c / (df + c * c), 0
    for j in range(200):
        weight = math.exp(-ncp ** 2 / 2 + j * math.log(max(ncp, 1e-300) ** 2 / 2) - math.lgamma(j + 1))
        if weight > 1e-13:
            total += weight * (1 - beta_lower(x, 0.5 + j, df / 2))
    return total


def detectable(df):
    lo, hi = 1, 12
    for _ in range(34):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if power(df, mid) < 0.8 else (lo, mid)
    return lo


def array(name, v):
    print(f'static const double {name}[] = {{ {", ".join(map(str, v))} }};')


def fields(name, values):
    print(f'#define {name} {{ {", ".join(f"{v:.12g}" for v in values)} }}')


def main():
    print('/* SPDX-License-Identifier: GPL-2.0 */\n/* Made by reference.py */')
    for name in ('SLEEP1', 'SLEEP2', 'MEMBRANE1', 'MEMBRANE2', 'TIED1', 'TIED2'):
        array(name.lower(), globals()[name])
    print('\n/* diff, se, df, t, p, lo, hi */')
    fields('WELCH_SLEEP', welch(SLEEP1, SLEEP2))
    fields('WELCH_MEMBRANE', welch(MEMBRANE1, MEMBRANE2))
    fields('PAIRED_SLEEP', paired(SLEEP1, SLEEP2))
    diff, se, df, *_ = paired(SLEEP1, SLEEP2)
    print('\n/* of PAIRED_SLEEP, in (0, 3) and in (-2, 2) */')
    fields('TOST_SLEEP', (max(t_upper(diff / se, df), 1 - t_upper((diff - 3) / se, df)),
                          max(t_upper((diff + 2) / se, df), 1 - t_upper((diff - 2) / se, df))))
    print('\n/* u, p */')
    fields('RANKS_MEMBRANE', (u_of(MEMBRANE1, MEMBRANE2), exact_u(MEMBRANE1, MEMBRANE2)))
    fields('RANKS_SLEEP', (u_of(SLEEP1, SLEEP2), normal_u(SLEEP1, SLEEP2)))
    fields('RANKS_TIED', (u_of(TIED1, TIED2), normal_u(TIED1, TIED2)))
    print('\n/* smallest p of n against n: 3, 5, 10, 20 */')
    fields('RANKS_SMALLEST', [2 / math.comb(2 * n, n) for n in (3, 5, 10, 20)])
    print('\n/* df, ncp, power */')
    for name, args in (('POWER_A', (4, 3)), ('POWER_B', (18, 1)), ('POWER_C', (38, math.sqrt(10))),
                       ('POWER_D', (9, 0.5))):
        fields(name, (*args, power(*args)))
    print('\n/* ncp that is seen with power 0.8: df 4, 8, 18, 38 */')
    fields('DETECTABLE', [detectable(df) for df in (4, 8, 18, 38)])
    print('\n/* 0.975 quantiles: df 1, 2, 4, 9, 29 */')
    fields('QUANTILES', [math.tan(math.pi * 0.475)] + [t_quantile(0.975, df) for df in (2, 4, 9, 29)])


if __name__ == '__main__':
    main()
