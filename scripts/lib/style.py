#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules of scripts/check-style.sh that only need to read text; one function a rule, named in RULES.

    style.py RULE < LIST-OF-FILES        prints `path:line: what is wrong`, one a line; exit status 1 if any
    style.py --list                      the rules and what each asks for

Run in the project's top directory; the list, one path a line, is that of all files of the project.
"""
import os
import re
import sys

# No text of ours: licences as they are, pictures, data, what a machine writes.
FOREIGN = re.compile(r'^LICENSES/|\.(svg|png|json|jsonl|tsv)$|(^|/)(golden|corpus)/')
NO_COMMENTS = re.compile(r'(^|/)\.(gitignore|shellcheckrc)$|^CHANGELOG\.md$')
SOURCE = re.compile(r'\.(c|h|S|def|py|sh|bash|awk|gp|cocci)$|(^|/)(Makefile|Kbuild|Kconfig)$')
UAPI = '((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)'
# Who may include whom: only what stands before or beside it.
KMOD_RINGS = ['compat', 'account', 'fastpath', 'control', '']
USER_RINGS = [['lib'], ['knobs', 'traffic'], ['ladder', 'profile'], ['cmd']]


def text(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def lines(path):
    return text(path).split('\n')


def is_source(path):
    if FOREIGN.search(path) or os.path.islink(path):
        return False
    if SOURCE.search(path):
        return True
    with open(path, 'rb') as f:
        return f.read(2) == b'#!'


def is_generated(path):
    return 'auto-generated' in '\n'.join(lines(path)[:5])


def is_text(path):
    return not FOREIGN.search(path) and not os.path.islink(path)


def without_comments(code):
    """C without its comments, with as many lines."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"',
                  lambda m: m[0] if m[0][0] == '"' else '\n' * m[0].count('\n'), code, flags=re.S)


def licences_of(path):
    """The licence of a part of the tree; of two, the first is preferred."""
    if path.startswith(('kmod/include/uapi/', 'kmod/control/netlink_gen.', 'Documentation/netlink/specs/')):
        return [UAPI]
    if path == 'Documentation/netlink/nettoll.rst':
        return ['GPL-2.0']  # what the kernel's generator writes
    if path.startswith('kmod/') or path == 'Kconfig':
        return ['GPL-2.0-only']
    if path.startswith('bench/'):
        return ['GPL-2.0-or-later', 'GPL-2.0-only']  # what is loaded into the kernel names the kernel's
    return ['GPL-2.0-or-later']


def rule_spdx(files):
    """the first line (the second of a script) names the licence of its part of the tree"""
    for path in filter(is_text, files):
        if NO_COMMENTS.search(path):
            continue
        head = lines(path)[:2]
        at = 1 if head[0].startswith('#!') else 0
        found = re.search(r'SPDX-License-Identifier: (.*?)( \*/| -->)?$', head[at] if at < len(head) else '')
        if not found:
            yield path, at + 1, 'no SPDX-License-Identifier'
        elif found[1] not in licences_of(path):
            yield path, at + 1, 'licence %s; here it is %s' % (found[1], licences_of(path)[0])


def rule_licences(files):
    """the text of every licence that a file names is in LICENSES/, and no other"""
    # GPL-2.0 is what the netlink generator writes for GPL-2.0-only.
    wanted = set()
    for path in filter(is_text, files):
        for found in re.findall(r'SPDX-License-Identifier: (.*?)(?: \*/| -->)?$', '\n'.join(lines(path)[:2]), re.M):
            for word in re.findall(r'[\w.-]+', found):
                if word not in ('OR', 'AND', 'WITH'):
                    wanted.add('GPL-2.0-only' if word == 'GPL-2.0' else word)
    have = {os.path.basename(p)[:-4] for p in files if p.startswith('LICENSES/')}
    for name in sorted(wanted - have):
        yield 'LICENSES/%s.txt' % name, 1, 'missing, though a file names this licence'
    for name in sorted(have - wanted):
        yield 'LICENSES/%s.txt' % name, 1, 'no file names this licence'


def rule_purpose(files):
    """a source file of more than a few lines opens with a comment that says what it holds"""
    for path in filter(is_source, files):
        rest = [s for s in lines(path) if not s.startswith('#!') and 'SPDX-' not in s]
        while rest and not rest[0].strip():
            rest = rest[1:]
        if len(rest) > 15 and not is_generated(path) and os.path.basename(path) != 'Kbuild' and \
                not rest[0].lstrip().startswith(('/*', '//', '#', '"""')):
            yield path, 2, 'does not open with a comment that says what the file holds'


def rule_length(files):
    """no source file has more than 500 lines"""
    for path in filter(is_source, files):
        n = len(lines(path)) - 1
        if n > 500 and not is_generated(path):
            yield path, n, '%d lines: a file has one subject and at most 500' % n


def rule_words(files):
    """nothing is left for later in a comment"""
    pattern = re.compile(r'(^|[^\w|(])(TO' 'DO|FIX' 'ME|XX' 'X)($|[^\w|)])')
    for path in filter(is_text, files):
        for i, line in enumerate(lines(path), 1):
            if pattern.search(line):
                yield path, i, 'do it, or file an issue: ' + line.strip()


def rule_space(files):
    """no white space at the end of a line, no CR, one line end at the end; scripts and only scripts may be run"""
    for path in filter(is_text, files):
        if is_generated(path):
            continue
        with open(path, 'rb') as f:
            data = f.read()
        for i, line in enumerate(data.split(b'\n'), 1):
            if line != line.rstrip():
                yield path, i, 'white space at the end of the line'
        if data and (not data.endswith(b'\n') or data.endswith(b'\n\n')):
            yield path, data.count(b'\n'), 'the file does not end with exactly one line end'
        if data.startswith(b'#!') != os.access(path, os.X_OK):
            yield path, 1, '#! and the permission to execute do not go together'


def includes(path):
    for i, line in enumerate(lines(path), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if found:
            yield i, found[1] == '<', found[2]


def rule_kmod_layers(files):
    """kmod: compat <- account <- fastpath <- control <- main, and nothing includes what is outside"""
    for path in files:
        if not re.match(r'kmod/(?!tests/|compat/probe/).*\.[ch]$', path):
            continue
        ring = os.path.dirname(path)[len('kmod/'):]
        if ring.startswith('include'):
            for i, system, name in includes(path):
                if name not in ('linux/types.h', 'linux/ioctl.h'):
                    yield path, i, 'a uapi header may include nothing but <linux/types.h> and <linux/ioctl.h>'
            continue
        for i, system, name in includes(path):
            if system:
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), name))
            if not target.startswith('kmod/'):
                yield path, i, '%s lies outside the module' % name
                continue
            other = os.path.dirname(target)[len('kmod/'):]
            if other and KMOD_RINGS.index(other) > KMOD_RINGS.index(ring):
                yield path, i, '%s/ may not include %s' % (ring, target)


def rule_kmod_names(files):
    """kmod: only account/hook_table.def names the functions that are hooked; a fast path stands in front of some, too"""
    if 'kmod/account/hook_table.def' not in files:
        return
    table = text('kmod/account/hook_table.def')
    names = {n for n in re.findall(r'^NETTOLL_HOOK\((\w+),', table, re.M) if not n.startswith('nettoll_')}
    for path in files:
        if not re.match(r'kmod/(?!tests/|compat/probe/|fastpath/).*\.[chS]$', path):
            continue
        for i, line in enumerate(without_comments(text(path)).split('\n'), 1):
            for word in re.findall(r'\w+', line):
                if word in names:
                    yield path, i, '%s is named here and in hook_table.def' % word


def rule_kmod_features(files):
    """kmod: only compat/ asks for versions and probed features; a backend may be left out as a whole"""
    probes = {os.path.basename(p)[:-2].upper() for p in files if p.startswith('kmod/compat/probe/')}
    for path in files:
        if not re.match(r'kmod/(?!compat/|tests/).*\.[chS]$', path):
            continue
        asked = 0
        for i, line in enumerate(without_comments(text(path)).split('\n'), 1):
            if re.search(r'\b(LINUX_VERSION_\w+|KERNEL_VERSION|RHEL_RELEASE_\w+)\b', line):
                yield path, i, 'a kernel version outside compat/'
            if re.search(r'#\s*include.*\bfeatures\.h', line):
                yield path, i, 'features.h belongs to compat/'
            for name in re.findall(r'\bNETTOLL_HAVE_(\w+)', line):
                asked += 1
                if name in probes or asked > 1 or not re.match(r'kmod/(account/(backend_\w+|site)|fastpath/front)\.c$', path):
                    yield path, i, 'NETTOLL_HAVE_%s outside compat/' % name


def rule_user_layers(files):
    """userspace: lib <- knobs, traffic <- ladder, profile <- cmd; only lib/nl*.c includes libnl"""
    def ring(directory):
        return next((n for n, r in enumerate(USER_RINGS) if directory in r), None)
    for path in files:
        found = re.match(r'userspace/(\w+)/.*\.[ch]$', path)
        if not found or ring(found[1]) is None:
            continue
        for i, system, name in includes(path):
            if system:
                if name.startswith('netlink/') and not re.match(r'userspace/lib/nl\w*\.c$', path):
                    yield path, i, '<%s>: only lib/nl*.c may include libnl' % name
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), name))
            if target == 'kmod/layers.def':
                continue  # the one table of the layers
            if target not in files:
                target = 'userspace/' + name
            other = target.split('/')[1] if target in files else None
            if other is None or ring(other) is None:
                yield path, i, '"%s": no such header among those it may include' % name
            elif other != found[1] and ring(other) >= ring(found[1]):
                yield path, i, '%s/ may not include %s' % (found[1], target)


def rule_user_output(files):
    """userspace: only lib/out*.c prints results"""
    prints = re.compile(r'(?<![\w.>])(printf|vprintf|puts|putchar)\s*\(|\bstdout\b')
    for path in files:
        if not re.match(r'userspace/(lib|cmd|knobs|ladder|profile|traffic)/.*\.c$', path) or \
                re.match(r'userspace/lib/out\w*\.c$', path):
            continue
        for i, line in enumerate(without_comments(text(path)).split('\n'), 1):
            if prints.search(line):
                yield path, i, 'results are printed by lib/out*.c: ' + line.strip()


def rule_layers(files):
    """kmod/layers.def has the layers of the netlink spec, in its order"""
    import yaml
    with open('Documentation/netlink/specs/nettoll.yaml', encoding='utf-8') as f:
        spec = yaml.safe_load(f)
    want = next(d['entries'] for d in spec['definitions'] if d['name'] == 'layer')
    rows = re.findall(r'^NETTOLL_LAYER\((\w+), "(\w+)", "[^"]+"\)$', text('kmod/layers.def'), re.M)
    have = [word for _, word in rows]
    if have != want:
        yield 'kmod/layers.def', 1, 'has %s; the spec has %s' % (' '.join(have), ' '.join(want))
    for name, word in rows:
        if name != word.upper():
            yield 'kmod/layers.def', 1, '%s has the word %s' % (name, word)


def rule_version(files):
    """module, command, package and change log carry one version"""
    places = {
        'kmod/version.h': r'NETTOLL_VERSION\s+"([^"]+)"',
        'userspace/lib/version.h': r'NETTOLL_VERSION\s+"([^"]+)"',
        'kmod/dkms.conf': r'PACKAGE_VERSION="([^"]+)"',
        'CHANGELOG.md': r'## ([0-9][^\s]*)',
    }
    versions = {}
    for path, pattern in places.items():
        found = re.search(pattern, text(path)) if path in files else None
        if found:
            versions[path] = found[1]
        else:
            yield path, 1, 'names no version'
    for path, version in versions.items():
        if version != versions.get('kmod/version.h', version):
            yield path, 1, 'version %s; the module has %s' % (version, versions['kmod/version.h'])


def rule_docs(files):
    """the manuals are sound reStructuredText, their links lead somewhere, and the index lists them all"""
    import docutils.core
    import docutils.utils
    pages = [p for p in files if p.endswith('.rst')]
    targets = {}
    for path in pages + [p for p in files if p.endswith('.md')]:
        body = text(path)
        found = re.findall(r'<([^<>`\s]+)>`_', body) if path.endswith('.rst') else re.findall(r'\]\(([^)\s]+)\)', body)
        if path.endswith('.rst'):
            found += re.findall(r'^\.\. (?:image|figure|include)::\s*(\S+)', body, re.M)
        targets[path] = set()
        for target in found:
            if not re.match(r'\w+:|#', target):
                to = os.path.normpath(os.path.join(os.path.dirname(path), target.split('#')[0]))
                targets[path].add(to)
                if not os.path.exists(to):
                    i = body[:body.index(target)].count('\n') + 1
                    yield path, i, 'a link to %s, which does not exist' % target
    for path in pages:
        if path.startswith('Documentation/') and path != 'Documentation/index.rst' and \
                path not in targets.get('Documentation/index.rst', ()):
            yield path, 1, 'not linked from Documentation/index.rst'
        if is_generated(path):
            continue  # it has roles that only the kernel's documentation knows
        problems = []

        class Listener:
            def write(self, message):
                problems.append(message)
        docutils.core.publish_doctree(text(path), source_path=path, settings_overrides={
            'warning_stream': Listener(), 'report_level': 2, 'halt_level': 5, 'file_insertion_enabled': False})
        for message in problems:
            found = re.search(r':(\d+): (.*)', message.strip().split('\n')[0])
            if found:
                yield path, int(found[1]), found[2]


RULES = {name[len('rule_'):].replace('_', '-'): rule for name, rule in list(globals().items())
         if name.startswith('rule_')}


def main(args):
    if args == ['--list']:
        for name, rule in RULES.items():
            print('%s\t%s' % (name, rule.__doc__))
        return 0
    if len(args) != 1 or args[0] not in RULES:
        sys.stderr.write('usage: style.py RULE < LIST-OF-FILES, or style.py --list\n')
        return 2
    files = [p for p in sys.stdin.read().split('\n') if p and os.path.exists(p)]
    status = 0
    for path, line, what in RULES[args[0]](files):
        print('%s:%d: %s' % (path, line, what))
        status = 1
    return status


sys.exit(main(sys.argv[1:]))
