package dev.outbox.sample.events;

/** Names what travels beside a payload: who an event is about, where its payload does not say so. */
public final class Headers {

    /** The guild that an event is about. */
    public static final String GUILD_ID = "guildId";

    /** The billing key that pays for a subscription. */
    public static final String BILLING_KEY_ID = "billingKeyId";

    /** The owner on whose behalf a message travels. */
    public static final String OWNER_ID = "ownerId";

    /** The strategy that wants what a message says. */
    public static final String STRATEGY_KEY = "strategyKey";

    /** The market that a message is about. */
    public static final String MARKET = "market";

    private Headers() {}
}
