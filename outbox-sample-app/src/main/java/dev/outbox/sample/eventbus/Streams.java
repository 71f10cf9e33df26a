package dev.outbox.sample.eventbus;

/** Names of the streams. Each stream has its own worker and retry policy. */
public final class Streams {

    /** Orders to place. */
    public static final String TRADE_COMMAND = "everbit.trade.command";

    /** Orders, fills and positions. */
    public static final String TRADE_EVENT = "everbit.trade.event";

    /** Backtests to run. */
    public static final String BACKTEST_COMMAND = "everbit.backtest.command";

    /** Results of backtests. */
    public static final String BACKTEST_EVENT = "everbit.backtest.event";

    /** Settings, the kill switch, and operations on the outbox. */
    public static final String SYSTEM_EVENT = "everbit.system.event";

    private Streams() {}
}
