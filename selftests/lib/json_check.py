#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Validates documents of the command against the schemas that its documentation promises.

json_check.py SCHEMA-DIRECTORY, then a line on standard input for each document: the schema's name, a tab, the file.
A file may hold several documents, one a line. For each a line "ok NAME FILE documents=N" or "not ok NAME FILE: why".
Exit status: 0 all are as their schemas say, 1 something is not.
"""
import json
import sys

import jsonschema


def undescribed(schema, root, value, path=''):
    """Members of the value that the schema says nothing of: they would be undocumented."""
    if '$ref' in schema:
        schema = root['$defs'][schema['$ref'].removeprefix('#/$defs/')]
    # What others decide, as the settings of a plan.
    if schema.get('additionalProperties') is True:
        return
    if isinstance(value, dict):
        known = schema.get('properties', {})
        for name, member in value.items():
            if name in known:
                yield from undescribed(known[name], root, member, f'{path}.{name}')
            else:
                yield f'{path}.{name}'
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from undescribed(schema.get('items', {}), root, item, f'{path}[{i}]')


def documents(text):
    """One document, or one a line."""
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def faults(schema, document):
    """What is wrong with the document, in words."""
    validator = jsonschema.Draft202012Validator(schema)
    for error in validator.iter_errors(document):
        yield f'{error.json_path}: {error.message}'[:300]
    for member in undescribed(schema, schema, document):
        yield f'${member} is not in the schema'


def main():
    """Checks what standard input names."""
    directory = sys.argv[1]
    status = 0
    for line in sys.stdin:
        name, file = line.rstrip('\n').split('\t')
        what = f'{name} {file.rsplit("/", 1)[-1]}'
        try:
            with open(f'{directory}/{name}.json', encoding='utf-8') as f:
                schema = json.load(f)
            with open(file, encoding='utf-8') as f:
                found = documents(f.read())
            bad = [fault for document in found for fault in faults(schema, document)]
        except (OSError, ValueError) as error:
            found, bad = [], [str(error)]
        if not found:
            bad = bad or ['there is no document']
        if bad:
            status = 1
            print(f'not ok {what}: {"; ".join(bad[:5])}')
        else:
            print(f'ok {what} documents={len(found)}')
    return status


if __name__ == '__main__':
    sys.exit(main())
