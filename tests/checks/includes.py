"""Holds every #include of src/ to the table in ARCHITECTURE.md. Usage: includes.py REPOSITORY"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
TABLE = re.compile(r"<!-- includes -->\n(.*?)<!-- /includes -->", re.DOTALL)


def read_table(architecture):
    """{folder: (allowed prefixes, allowed prefixes of its tests)}"""
    found = TABLE.search(architecture)
    if not found:
        sys.exit("ARCHITECTURE.md: no table between <!-- includes --> and <!-- /includes -->")
    rows = {}
    for line in found.group(1).splitlines()[2:]:
        folder, allowed, for_tests = (cell.strip() for cell in line.strip().strip("|").split("|"))
        names = [name.strip() for name in allowed.split(",") if name.strip()]
        test_names = [name.strip() for name in for_tests.split(",") if name.strip()]
        rows[folder] = ([folder] + names, [folder] + names + test_names)
    return rows


def is_allowed(include, prefixes):
    stem = include.rsplit(".", 1)[0]
    return any(stem == prefix or stem.startswith(prefix + "/") for prefix in prefixes)


def main():
    root = pathlib.Path(sys.argv[1])
    rows = read_table((root / "ARCHITECTURE.md").read_text())
    problems = []
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".cc", ".h") or path.parent == root / "src":
            continue
        folder = path.relative_to(root / "src").parts[0]
        name = path.relative_to(root)
        if folder not in rows:
            problems.append(f"{name}: the table in ARCHITECTURE.md has no row for the folder {folder}")
            continue
        allowed, allowed_in_tests = rows[folder]
        prefixes = allowed_in_tests if path.stem.endswith(("_test", "_for_test")) else allowed
        for include in INCLUDE.findall(path.read_text()):
            if "/" not in include:
                continue  # generated beside the target, not a folder of ours
            if not is_allowed(include, prefixes):
                problems.append(f'{name}: includes "{include}", but {folder} may include only: {", ".join(prefixes)}')
    if problems:
        sys.exit("\n".join(problems + ["Change the code, or the table in ARCHITECTURE.md if the design changes."]))


main()
