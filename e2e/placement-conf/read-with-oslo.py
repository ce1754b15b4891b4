"""Reads files with the real oslo.config and the options of Debian's Placement.

Standard input: a JSON array of cases, each {"files": [path, ...], "env": {name: value}}. Standard output: {"options": [...],
"readings": [...]}: every option that is registered, and for each case what is set in it, or the error of the whole.
"""
import copy
import json
import os
import sys

from keystoneauth1 import loading
from keystonemiddleware import auth_token
from oslo_config import cfg
from oslo_config import types
from oslo_middleware import sizelimit
from oslo_policy import opts as policy_opts
from placement import conf as placement_conf

# What the newest Placement has and Debian's has not yet.
NEWER = {
    'placement': [
        cfg.IntOpt('max_allocation_candidates', default=-1),
        cfg.StrOpt('allocation_candidates_generation_strategy', default='depth-first',
                   choices=('depth-first', 'breadth-first')),
    ],
    'workarounds': [cfg.BoolOpt('optimize_for_wide_provider_trees', default=False)],
}


def registered():
    conf = cfg.ConfigOpts()
    placement_conf.register_opts(conf)
    for group, options in auth_token.list_opts():
        conf.register_opts(copy.deepcopy(options), group)
    conf.register_opts(loading.get_auth_plugin_conf_options('password'), 'keystone_authtoken')
    conf.register_opts(copy.deepcopy(sizelimit._opts), 'oslo_middleware')
    for group, options in NEWER.items():
        for option in options:
            try:
                conf.register_opt(option, group)
            except cfg.DuplicateOptError:
                pass
    for info, _ in conf._all_opt_infos():
        info['opt'].required = False
    return conf


def every_option(conf):
    for info, group in conf._all_opt_infos():
        option = info['opt']
        # These say where the configuration itself is.
        if option.dest in ('config_file', 'config_dir', 'config_source', 'shell_completion'):
            continue
        # policy_dirs is the only one with several values, and has no meaning to Berth.
        if not option.multi:
            yield None if group is None else group.name, option


def name_of(group, option):
    return '[%s] %s' % (group or 'DEFAULT', option.dest)


def described(group, option):
    kind = type(option.type)
    return {
        'name': name_of(group, option),
        'type': 'list' if issubclass(kind, types.List) else
                'boolean' if issubclass(kind, types.Boolean) or kind is bool else
                'integer' if issubclass(kind, types.Integer) else 'text',
        'choices': bool(getattr(option.type, 'choices', None)),
        'others': ['[%s] %s' % (one.group or group or 'DEFAULT', one.name or option.dest)
                   for one in option.deprecated_opts],
    }


def read(conf, case):
    os.environ.update(case['env'])
    try:
        conf([word for path in case['files'] for word in ('--config-file', path)], project='placement',
             default_config_files=[], default_config_dirs=[])
        return {'values': dict(set_values(conf))}
    except (Exception, SystemExit) as error:
        return {'error': '%s: %s' % (type(error).__name__, error)}
    finally:
        for name in case['env']:
            del os.environ[name]
        conf.clear()


def set_values(conf):
    places = (cfg.Locations.user, cfg.Locations.environment, cfg.Locations.command_line)
    for group, option in every_option(conf):
        try:
            found = conf.get_location(option.dest, group)
            if found is None or found.location not in places:
                continue
            value = conf[group][option.dest] if group else conf[option.dest]
            yield name_of(group, option), {'value': value}
        except Exception as error:
            yield name_of(group, option), {'error': '%s: %s' % (type(error).__name__, error)}


conf = registered()
readings = [read(conf, case) for case in json.load(sys.stdin)]
json.dump({'options': [described(*one) for one in every_option(conf)], 'readings': readings}, sys.stdout)
