"""Validates values with fastjsonschema: for each line {"schema": TEXT, "values": [TEXT, ...]}, prints one of errors."""

import json
import sys

import fastjsonschema


def error(validate, text):
    try:
        validate(json.loads(text))
    except fastjsonschema.JsonSchemaException as failure:
        return str(failure)
    return None


for line in sys.stdin:
    case = json.loads(line)
    validate = fastjsonschema.compile(json.loads(case["schema"]), use_default=False)
    print(json.dumps([error(validate, text) for text in case["values"]]))
