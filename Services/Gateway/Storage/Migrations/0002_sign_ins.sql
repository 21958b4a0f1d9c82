-- A sign-in has an end, shows in a list, and takes its clients with it.

alter table account.session
    -- When it ends, however much it is used.
    add column ends_at timestamptz,
    -- When it was last used, to within minutes, and from which address.
    add column used_at timestamptz not null default now(),
    add column address text,
    -- The API token that the user signed in for; null: an operator did it for them.
    add column api_token text collate "C",
    -- When the newest of its web auth tokens that was used was made, to within minutes.
    add column newest_token_at timestamptz;
update account.session
    set ends_at = created_at + case when stays_signed_in then interval '90 days' else interval '12 hours' end;
alter table account.session alter column ends_at set not null;

-- What the subscription service still has to forget: the clients that a sign-in registered, or everything of a user whose
-- account is gone. Written in the transaction that ends them; a row goes when the service has answered.
create table account.departure (
    id bigint generated always as identity primary key,
    container text collate "C" not null,
    environment text not null check (environment in ('development', 'production')),
    session uuid,
    user_name text collate "C",
    check (num_nonnulls(session, user_name) = 1)
);
