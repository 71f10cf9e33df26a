package dev.outbox.sample.events;

/** Names of event headers. */
public final class Headers {

    /** The guild that an event is about. */
    public static final String GUILD_ID = "guildId";

    /** The billing key that pays for a subscription. */
    public static final String BILLING_KEY_ID = "billingKeyId";

    /** The owner on whose behalf a message is sent. */
    public static final String OWNER_ID = "ownerId";

    /** The strategy that caused a message. */
    public static final String STRATEGY_KEY = "strategyKey";

    /** The market that a message is about. */
    public static final String MARKET = "market";

    private Headers() {}
}
