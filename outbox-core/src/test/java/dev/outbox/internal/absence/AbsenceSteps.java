package dev.outbox.internal.absence;

/** Statements on work that no instance takes, for the tests of other packages. */
public final class AbsenceSteps {

    public static final String EXPIRE = HandlerExpiryStore.EXPIRE;
    public static final String EXPIRED = HandlerExpiryStore.EXPIRED;
    public static final String DEAD_LETTER = HandlerExpiryStore.DEAD_LETTER;
    public static final String UNTIL_EXPIRY = HandlerExpiryStore.UNTIL_EXPIRY;
    public static final String EXPIRE_UNRENEWED = HandlerExpiryStore.EXPIRE_UNRENEWED;
    public static final String EXPIRE_SUBSCRIPTION = HandlerExpiryStore.EXPIRE_SUBSCRIPTION;
    public static final String DELETE_SUBSCRIPTIONS = HandlerExpiryStore.DELETE_SUBSCRIPTIONS;
    public static final String DELETE_HANDLERS = HandlerExpiryStore.DELETE_HANDLERS;
    public static final String ABSENT = HandlerExpiryStore.ABSENT;
    public static final String UNPOLLED = UnpolledStreamStore.FIND;

    private AbsenceSteps() {}
}
