# SPDX-License-Identifier: GPL-2.0
# Sphinx: see Documentation/build.
project = 'pvnet'
author = copyright = 'The pvnet developers'
extensions = []
html_theme = 'alabaster'
html_theme_options = {'page_width': '72em', 'fixed_sidebar': True}
highlight_language = 'none'
exclude_patterns = ['benchmarks']
