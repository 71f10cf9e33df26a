package dev.outbox.chaos.process;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Lines on the standard input of a process: a command and, after a space, a number. */
public final class Commands {

    /** Ends the process in order. */
    public static final String STOP = "stop";

    /** Sets the rate of a publisher, in transactions a second. */
    public static final String RATE = "rate";

    /** Sets the clock of the process wrong by some seconds. */
    public static final String SKEW = "skew";

    /** Takes all connections of the pool for some milliseconds. */
    public static final String EXHAUST = "exhaust";

    /** Makes each handler call take some milliseconds longer. */
    public static final String SLOW = "slow";

    /** Makes a worker's handlers of payments slow and fail every third first attempt, for some milliseconds. */
    public static final String STORM = "storm";

    /** Makes the next transaction of a worker's deduplicating handler take some milliseconds longer. */
    public static final String HOLD = "hold";

    /** Lets writers of three seconds overlap for some milliseconds. */
    public static final String OVERLAP = "overlap";

    /** Lets an operator pause the stream of payments, or with 0, resume it. */
    public static final String PAUSE = "pause";

    /** Lets an operator pause the inbox of a receiver, or with 0, resume its handler. */
    public static final String PAUSE_INBOX = "pause-inbox";

    /** Lets an operator decide where the stopped partitions of a receiver's inbox continue: with 0 at the earliest record, with 1 behind the latest. */
    public static final String RESUME_INBOX = "resume-inbox";

    /** Lets an operator skip deliveries whose handler asked for an absurd delay. */
    public static final String SKIP_DELAYED = "skip-delayed";

    /** Lets an operator retry dead deliveries. */
    public static final String RETRY = "retry";

    /** Lets an operator skip dead deliveries. */
    public static final String SKIP = "skip";

    /** Lets an operator replay published events. */
    public static final String REPLAY = "replay";

    /** Lets an operator erase published events. */
    public static final String ERASE = "erase";

    /** Lets an operator deliver scheduled events at once, and cancel others. */
    public static final String RESCHEDULE = "reschedule";

    private final Map<String, Consumer<Long>> actions = new HashMap<>();

    /** Commands that every process obeys, and those of its role. */
    Commands(SkewedClock clock, PoolExhaustion pool, Map<String, Consumer<Long>> ofRole) {
        actions.put(SKEW, clock::skewBySeconds);
        actions.put(EXHAUST, (millis) -> inBackground("exhaustion", () -> pool.exhaust(Duration.ofMillis(millis))));
        actions.putAll(ofRole);
    }

    void execute(String line) {
        int space = line.indexOf(' ');
        String command = space < 0 ? line : line.substring(0, space);
        long number = space < 0 ? 0 : Long.parseLong(line.substring(space + 1));
        Consumer<Long> action = actions.get(command);
        if (action == null) {
            throw new IllegalArgumentException("This process does not know the command " + line);
        }
        action.accept(number);
    }

    /** Runs an action on its own thread, which does not keep the process alive. */
    public static void inBackground(String name, Runnable action) {
        Thread thread = new Thread(action, name);
        thread.setDaemon(true);
        thread.start();
    }
}
