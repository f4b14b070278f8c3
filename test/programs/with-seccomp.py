"""Runs a command under a seccomp profile of Docker's format, as for a container without capabilities: JSON COMMAND ARGUMENTS…"""
import json
import os
import platform
import sys

import seccomp

profile = json.loads(sys.argv[1])
machine = {'x86_64': 'amd64', 'aarch64': 'arm64'}[platform.machine()]
COMPARISONS = {'SCMP_CMP_EQ': seccomp.EQ, 'SCMP_CMP_NE': seccomp.NE}


def comparison(argument):
    if argument['op'] == 'SCMP_CMP_MASKED_EQ':
        return seccomp.Arg(argument['index'], seccomp.MASKED_EQ, argument['value'], argument.get('valueTwo', 0))
    return seccomp.Arg(argument['index'], COMPARISONS[argument['op']], argument['value'])


assert profile['defaultAction'] == 'SCMP_ACT_ERRNO'
syscalls = seccomp.SyscallFilter(seccomp.ERRNO(profile['defaultErrnoRet']))
for rule in profile['syscalls']:
    if machine not in rule.get('includes', {}).get('arches', [machine]):
        continue
    action = seccomp.ALLOW if rule['action'] == 'SCMP_ACT_ALLOW' else seccomp.ERRNO(rule['errnoRet'])
    for name in rule['names']:
        try:
            syscalls.add_rule(action, name, *map(comparison, rule.get('args', [])))
        except RuntimeError:
            pass  # of another architecture
syscalls.load()
os.execvp(sys.argv[2], sys.argv[2:])
