package dev.outbox.internal.lease;

/** Statements of leases, for the tests of other packages. */
public final class LeaseSteps {

    public static final String LOCK_EXPIRED = LeaseStore.LOCK_EXPIRED;
    public static final String END_EXPIRED = LeaseStore.END_EXPIRED;
    public static final String RELEASE = LeaseStore.RELEASE;
    public static final String RELEASE_UNREAD = LeaseStore.RELEASE_UNREAD;

    private LeaseSteps() {}
}
