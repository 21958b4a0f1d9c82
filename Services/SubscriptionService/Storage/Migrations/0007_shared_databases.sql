-- Database subscriptions in shared databases: scope 3. They have no zone_owner, because they watch zones of other users; they
-- are found by their user, through the unique constraint. A service of an earlier release does not find them. `not valid`
-- makes the change of the constraint immediate; existing rows satisfy the stricter constraint that it replaces.
alter table subscription.subscription
    drop constraint subscription_scope_check,
    add constraint subscription_scope_check check (scope in (1, 2) or (scope = 3 and kind = 3 and zone_owner = '')) not valid;
alter table subscription.subscription validate constraint subscription_scope_check;
