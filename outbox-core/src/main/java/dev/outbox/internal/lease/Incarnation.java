package dev.outbox.internal.lease;

/** Incarnation of the database, as an expression. The first claim after a crash begins a new one. */
public final class Incarnation {

    public static final String SQL =
            "coalesce((SELECT i.token FROM {schema}.outbox_incarnation i), {schema}.outbox_begin_incarnation())";

    private Incarnation() {}
}
