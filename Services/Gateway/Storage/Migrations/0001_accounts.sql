-- Accounts: who may sign in, under which name a container knows them, and what proves it. The gateway's.

create table account.account (
    id bigint generated always as identity primary key,
    -- As it was given.
    email text not null,
    -- By which it is told apart: folded by the gateway, the same way whatever the database's locale is.
    email_key text collate "C" not null unique,
    given_name text,
    family_name text,
    -- `scrypt$N$r$p$salt$hash`; null: nobody signs in with a password.
    password text,
    -- Whether others find the account by its e-mail address, and see its name.
    is_discoverable boolean not null default false,
    created_at timestamptz not null default now()
);

-- A user is known to a container by a name of its own (semantics 1.4), made when it is first wanted.
create table account.container_user (
    container text collate "C" not null,
    account bigint not null references account.account on delete cascade,
    user_name text collate "C" not null check (user_name ~ '^_[0-9a-f]{32}$'),
    primary key (container, account),
    unique (container, user_name)
);
create index container_user_account on account.container_user (account);

-- A sign-in. Web auth tokens name it; ending it ends them all.
create table account.session (
    id uuid primary key default gen_random_uuid(),
    account bigint not null references account.account on delete cascade,
    container text collate "C" not null,
    environment text not null check (environment in ('development', 'production')),
    -- Whether its tokens are good for two weeks instead of half an hour.
    stays_signed_in boolean not null,
    created_at timestamptz not null default now(),
    -- When no token of it can be good any more; moved on while it is used.
    expires_at timestamptz not null
);
create index session_account on account.session (account);
create index session_expires_at on account.session (expires_at);

-- Not a secret: it stands in web pages.
create table account.api_token (
    token text collate "C" primary key check (token ~ '^[0-9a-f]{64}$'),
    container text collate "C" not null,
    environment text not null check (environment in ('development', 'production')),
    name text not null,
    -- Web origins that may use it; none: any.
    origins text[] not null default '{}',
    -- Where sign-in sends the token; null: to the window that opened the page.
    callback_url text,
    created_at timestamptz not null default now(),
    revoked_at timestamptz
);
create index api_token_container on account.api_token (container, environment, token);

-- A server-to-server key: P-256, its public half.
create table account.server_key (
    id text collate "C" not null check (id ~ '^[0-9a-f]{64}$'),
    container text collate "C" not null,
    environment text not null check (environment in ('development', 'production')),
    -- DER, SubjectPublicKeyInfo.
    public_key bytea not null,
    name text not null,
    -- As whom it acts.
    user_name text collate "C" not null check (user_name ~ '^_[0-9a-f]{32}$'),
    created_at timestamptz not null default now(),
    revoked_at timestamptz,
    -- The same key may serve several containers.
    primary key (container, environment, id)
);

-- What was answered to which operator's write, so that a repeat has no second effect. Four-hour partitions, dropped after
-- a day.
create table account.request (
    at timestamptz not null,
    environment int not null,
    user_name text collate "C" not null,
    message_id text collate "C" not null,
    body_hash bytea not null,
    outcome bytea not null
) partition by range (at);
create index request_message on account.request (message_id, user_name, environment);
