-- Clients end with the sign-in that registered them.

-- The sign-in by which it was registered last, as the gateway names it; null: none was named.
alter table subscription.client add column session text collate "C";
create index client_session on subscription.client (session) where session is not null;

-- Sign-ins that have ended: a request that was let in just before registers no client any more. Kept for an hour, far
-- longer than a request lives.
create table subscription.ended_session (
    session text collate "C" primary key,
    ended_at timestamptz not null default now()
);
create index ended_session_at on subscription.ended_session (ended_at);
