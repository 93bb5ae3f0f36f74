#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Shows of each rule of style.py that it finds what it is there for, and lets pass what is sound."""
import os
import subprocess
import sys
import tempfile
import unittest

STYLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'style.py')
KMOD = '/* SPDX-License-Identifier: GPL-2.0-only */\n'
USER = '/* SPDX-License-Identifier: GPL-2.0-or-later */\n'
TABLE = KMOD + 'NETTOLL_HOOK(udp_sendmsg, 3, UDP, TX, 1)\n'
SPEC = 'definitions:\n  - name: layer\n    entries: [udp, ip]\n'


class Rule(unittest.TestCase):
    def found(self, rule, files):
        """What the rule finds in a tree of these files, as "path:line"."""
        with tempfile.TemporaryDirectory() as top:
            for path, body in files.items():
                path = os.path.join(top, path)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, 'w', encoding='utf-8') as f:
                    f.write(body)
            run = subprocess.run([sys.executable, STYLE, rule], cwd=top, input='\n'.join(files), text=True,
                                 capture_output=True, check=False)
        self.assertEqual(run.stderr, '')
        faults = [':'.join(line.split(':')[:2]) for line in run.stdout.splitlines()]
        self.assertEqual(run.returncode, 1 if faults else 0)
        return faults

    def test_spdx(self):
        self.assertEqual(self.found('spdx', {
            'kmod/a.c': KMOD, 'kmod/b.c': USER, 'userspace/c.c': USER, 'userspace/d.c': 'int x;\n',
            'scripts/e': '#!/bin/sh\n# SPDX-License-Identifier: GPL-2.0-or-later\n', 'LICENSES/MIT.txt': 'x\n',
        }), ['kmod/b.c:1', 'userspace/d.c:1'])

    def test_licences(self):
        self.assertEqual(self.found('licences', {
            'kmod/a.c': KMOD, 'userspace/a.c': USER, 'LICENSES/GPL-2.0-only.txt': 'x\n', 'LICENSES/MIT.txt': 'x\n',
        }), ['LICENSES/GPL-2.0-or-later.txt:1', 'LICENSES/MIT.txt:1'])

    def test_purpose(self):
        body = 'int x;\n' * 20
        self.assertEqual(self.found('purpose', {
            'kmod/a.c': KMOD + body, 'kmod/b.c': KMOD + '/* What it holds. */\n' + body, 'kmod/short.c': KMOD + 'int x;\n',
        }), ['kmod/a.c:2'])

    def test_length(self):
        self.assertEqual(self.found('length', {
            'kmod/a.c': 'x\n' * 501, 'kmod/b.c': 'x\n' * 500, 'kmod/g.c': '/* auto-generated */\n' + 'x\n' * 600,
        }), ['kmod/a.c:501'])

    def test_words(self):
        self.assertEqual(self.found('words', {
            'a.c': 'x\n/* TO' 'DO: y */\n', 'b.sh': 'mktemp /tmp/XXXXXX\n', 'c.md': 'FIX' 'ME\n',
        }), ['a.c:2', 'c.md:1'])

    def test_space(self):
        self.assertEqual(self.found('space', {
            'a.c': 'x \ny\n', 'b.c': 'x', 'c.c': 'x\n\n', 'd.c': 'x\r\n', 'e.sh': '#!/bin/sh\n', 'sound.c': 'x\n',
        }), ['a.c:1', 'b.c:0', 'c.c:2', 'd.c:1', 'e.sh:1'])

    def test_kmod_layers(self):
        self.assertEqual(self.found('kmod-layers', {
            'kmod/account/a.c': '#include "../control/b.h"\n#include "../compat/c.h"\n#include "a.h"\n',
            'kmod/compat/c.h': '#include "../account/a.h"\n', 'kmod/control/b.h': '#include "../account/a.h"\n',
            'kmod/main.c': '#include "control/b.h"\n#include "../userspace/x.h"\n',
            'kmod/include/uapi/linux/nettoll.h': '#include <linux/types.h>\n#include <linux/in.h>\n',
        }), ['kmod/account/a.c:1', 'kmod/compat/c.h:1', 'kmod/main.c:2', 'kmod/include/uapi/linux/nettoll.h:2'])

    def test_kmod_names(self):
        self.assertEqual(self.found('kmod-names', {
            'kmod/account/hook_table.def': TABLE,
            'kmod/account/a.c': '/* like udp_sendmsg */\nint udp_sendmsg_x;\nvoid *p = udp_sendmsg;\n',
        }), ['kmod/account/a.c:3'])

    def test_kmod_features(self):
        self.assertEqual(self.found('kmod-features', {
            'kmod/compat/probe/thing.c': KMOD, 'kmod/compat/a.h': '#if LINUX_VERSION_CODE > 5\n#ifdef NETTOLL_HAVE_THING\n',
            'kmod/account/backend_x.c': '#ifdef NETTOLL_HAVE_X\n#endif /* NETTOLL_HAVE_X */\n',
            'kmod/account/backend_y.c': '#ifdef NETTOLL_HAVE_THING\n',
            'kmod/account/span.c': '#ifdef NETTOLL_HAVE_X\n#include "../compat/features.h"\n#if KERNEL_VERSION(6, 1, 0)\n',
        }), ['kmod/account/backend_y.c:1', 'kmod/account/span.c:1', 'kmod/account/span.c:2', 'kmod/account/span.c:3'])

    def test_user_layers(self):
        self.assertEqual(self.found('user-layers', {
            'userspace/lib/a.h': '', 'userspace/cmd/b.h': '', 'userspace/traffic/t.h': '',
            'userspace/lib/a.c': '#include "a.h"\n#include "cmd/b.h"\n#include <netlink/netlink.h>\n',
            'userspace/lib/nl_x.c': '#include <netlink/netlink.h>\n',
            'userspace/knobs/k.c': '#include "lib/a.h"\n#include "traffic/t.h"\n',
            'userspace/cmd/b.c': '#include "traffic/t.h"\n#include "missing.h"\n',
        }), ['userspace/lib/a.c:2', 'userspace/lib/a.c:3', 'userspace/knobs/k.c:2', 'userspace/cmd/b.c:2'])

    def test_user_output(self):
        self.assertEqual(self.found('user-output', {
            'userspace/cmd/a.c': 'printf("x");\n/* printf("x") */\nsnprintf(b, 1, "x");\nfputs("x", stdout);\n',
            'userspace/lib/out.c': 'printf("x");\n', 'userspace/tests/t.c': 'printf("x");\n',
        }), ['userspace/cmd/a.c:1', 'userspace/cmd/a.c:4'])

    def test_layers(self):
        rows = 'NETTOLL_LAYER(UDP, "udp", "a")\nNETTOLL_LAYER(IP, "ip", "b")\n'
        spec = {'Documentation/netlink/specs/nettoll.yaml': SPEC}
        self.assertEqual(self.found('layers', dict(spec, **{'kmod/layers.def': rows})), [])
        self.assertEqual(self.found('layers', dict(spec, **{'kmod/layers.def': rows.split('\n')[0] + '\n'})),
                         ['kmod/layers.def:1'])
        self.assertEqual(self.found('layers', dict(spec, **{'kmod/layers.def': rows.replace('(IP', '(TCP')})),
                         ['kmod/layers.def:1'])

    def test_version(self):
        files = {
            'kmod/version.h': '#define NETTOLL_VERSION "1.2.3"\n', 'kmod/dkms.conf': 'PACKAGE_VERSION="1.2.3"\n',
            'userspace/lib/version.h': '#define NETTOLL_VERSION\t"1.2.3"\n', 'CHANGELOG.md': '# C\n\n## 1.2.3\n',
        }
        self.assertEqual(self.found('version', files), [])
        files['CHANGELOG.md'] = '# C\n\n## 1.2.4\n\n## 1.2.3\n'
        del files['kmod/dkms.conf']
        self.assertEqual(self.found('version', files), ['kmod/dkms.conf:1', 'CHANGELOG.md:1'])

    def test_docs(self):
        self.assertEqual(self.found('docs', {
            'Documentation/index.rst': 'I\n=\n\n`a <a.rst>`_ and `b <b.rst>`_\n', 'Documentation/a.rst': 'A\n=\n\n*a\n',
            'Documentation/c.rst': 'C\n=\n\n`elsewhere <https://a.example>`_\n', 'README.md': '[x](none.md) [y](#here)\n',
        }), ['Documentation/index.rst:4', 'README.md:1', 'Documentation/a.rst:4', 'Documentation/c.rst:1'])

    def test_every_rule_is_tested(self):
        run = subprocess.run([sys.executable, STYLE, '--list'], text=True, capture_output=True, check=True)
        for line in run.stdout.splitlines():
            self.assertTrue(hasattr(self, 'test_' + line.split('\t')[0].replace('-', '_')), line)


unittest.main(argv=sys.argv[:1], verbosity=0)
