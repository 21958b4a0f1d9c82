"""What PostgreSQL and RabbitMQ count: statements by role, and published messages by user."""

import json
import os
import pathlib
import re
import subprocess

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "servers"
ROLE_PREFIX, USER_PREFIX = "zonda_", "zonda-"

STATEMENTS = """
select coalesce(json_agg(json_build_object('role', rolname, 'calls', calls, 'text', query)), '[]')
from pg_stat_statements join pg_roles on pg_roles.oid = userid where rolname like 'zonda\\_%'
"""
# Each channel's publishes, added up by the user of the channel. Needs the statistics level `fine`.
PUBLISHES = """
Users = maps:from_list([{P, proplists:get_value(user, I)} || {P, I} <- ets:tab2list(channel_created)]),
Sums = lists:foldl(fun(Row, Sum) ->
    {Channel, _} = element(1, Row), User = maps:get(Channel, Users, <<>>),
    Sum#{User => maps:get(User, Sum, 0) + element(2, Row)} end, #{}, ets:tab2list(channel_exchange_metrics)),
[{binary_to_list(User), Count} || {User, Count} <- maps:to_list(Sums)].
"""


def servers(*arguments):
    return subprocess.run([SCRIPT, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def psql(sql):
    return servers("psql", "--no-align", "--tuples-only", "--quiet", "--command", sql)


def prepare():
    """Has the servers count, and settles what they do in the background on their own account."""
    for setting in [
        "shared_preload_libraries = 'pg_stat_statements'", "autovacuum = off", "checkpoint_timeout = '1h'",
        "max_wal_size = '16GB'",
    ]:
        psql(f"alter system set {setting}")
    servers("restart", "postgres")
    psql("create extension if not exists pg_stat_statements")
    servers("erlang", "application:set_env(rabbit, collect_statistics, fine).")


def settle():
    """Before a row: the planner knows the tables, and no checkpoint is due."""
    psql("vacuum (analyze)")
    psql("checkpoint")


def reset_statements():
    psql("select pg_stat_statements_reset()")


def statements():
    """The statements since the reset: service, number of calls and text of each."""
    return [
        (entry["role"].removeprefix(ROLE_PREFIX), entry["calls"], " ".join(entry["text"].split()))
        for entry in json.loads(psql(STATEMENTS))
    ]


def publishes():
    """The messages that each user has published so far on the channels that are open."""
    return read_publishes(servers("erlang", PUBLISHES))


def read_publishes(text):
    return {user.removeprefix(USER_PREFIX): int(count) for user, count in re.findall(r'\{"([^"]+)",\s*(\d+)\}', text)}


def postgres_port():
    for line in pathlib.Path(os.environ["ZONDA_HOME"], "ports").read_text().splitlines():
        name, _, port = line.partition("=")
        if name == "postgres":
            return int(port)
    raise RuntimeError("this home has no port of PostgreSQL")
