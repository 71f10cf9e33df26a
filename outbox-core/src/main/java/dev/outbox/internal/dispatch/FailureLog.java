package dev.outbox.internal.dispatch;

import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.payload.UndecodableException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Log lines about failures, of which an outage causes thousands that are alike. Of each handler and error code, the log has the first
 * failure with its stack trace, the first dead letter, and after a minute the number of the others, which are written at DEBUG. The same
 * holds for each handler's successes after failures. Safe for use by many threads.
 */
public final class FailureLog {

    private static final Logger log = LoggerFactory.getLogger(FailureLog.class);

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Bounds the memory. */
    private static final int MOST_GROUPS = 1000;

    private static final String TIMEOUT = "HANDLER_TIMEOUT";
    private static final String OTHER_CODES = "other errors";

    /** No error has this code. */
    private static final String HANDLED = "";

    private final LongSupplier nanos;
    private final Map<Group, Minute> minutes = new HashMap<>();

    /** Handlers whose last line is about a success after failures. */
    private final Set<String> recovered = new HashSet<>();

    private record Group(String failing, String code) {}

    private static final class Minute {

        private final long begun;
        private boolean deadLogged;
        private long count;
        private long dead;

        Minute(long begun) {
            this.begun = begun;
        }
    }

    public FailureLog(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Returns the error code of a failure. Never fails. */
    static String code(Throwable ex) {
        if (ex instanceof UndecodableException undecodable) {
            return undecodable.failure().code();
        }
        return ex instanceof TimeLimit.TimedOutException ? TIMEOUT : code(ex.getClass());
    }

    /** An anonymous class has no simple name, and the compilers of other languages produce malformed ones. */
    private static String code(Class<?> type) {
        String simple;
        try {
            simple = type.getSimpleName();
        } catch (Error malformed) {
            simple = "";
        }
        return simple.isEmpty() ? type.getName().substring(type.getName().lastIndexOf('.') + 1) : simple;
    }

    /** Returns the line about a number of failures with one cause, each of which is followed by another attempt. */
    public LoggingEventBuilder retry(String failing, int failures, Throwable ex) {
        return line(failing, code(ex), failures, Level.WARN, ex);
    }

    /** Returns the line about a dead letter. */
    LoggingEventBuilder dead(String failing, String code, @Nullable Throwable ex) {
        return line(failing, code, 1, Level.ERROR, ex);
    }

    /** Returns the line about a success after failures. */
    LoggingEventBuilder handled(String handlerId) {
        return line(handlerId, HANDLED, 1, Level.INFO, null);
    }

    private synchronized LoggingEventBuilder line(
            String failing, String code, int count, Level level, @Nullable Throwable ex) {
        boolean dead = level == Level.ERROR;
        Group group = group(failing, code);
        Minute known = minutes.get(group);
        if (known != null && isOver(known, MINUTE)) {
            minutes.remove(group);
            write(group, known);
        }
        if (code.equals(HANDLED)) {
            recovered.add(failing);
        } else {
            recovered.remove(failing);
        }
        boolean first = !minutes.containsKey(group);
        Minute minute = minutes.computeIfAbsent(group, (added) -> new Minute(nanos.getAsLong()));
        boolean counted = !first && (!dead || minute.deadLogged);
        minute.deadLogged |= dead;
        if (counted) {
            minute.count += count;
            minute.dead += dead ? 1 : 0;
        }
        LoggingEventBuilder line = log.atLevel(counted ? Level.DEBUG : level);
        return ex == null || (!first && !log.isDebugEnabled()) ? line : line.setCause(Redaction.ofHandler(ex));
    }

    private Group group(String failing, String code) {
        Group group = new Group(failing, code);
        return minutes.size() < MOST_GROUPS || minutes.containsKey(group) || code.equals(HANDLED)
                ? group
                : new Group(failing, OTHER_CODES);
    }

    /** Writes and forgets the counts that began at least this long ago. */
    public synchronized void summarize(Duration age) {
        minutes.entrySet().removeIf((entry) -> {
            boolean over = isOver(entry.getValue(), age);
            if (over) {
                write(entry.getKey(), entry.getValue());
            }
            return over;
        });
    }

    /** Writes and forgets the counts of minutes that are over. */
    public void summarize() {
        summarize(MINUTE);
    }

    private boolean isOver(Minute minute, Duration age) {
        return nanos.getAsLong() - minute.begun >= age.toNanos();
    }

    private void write(Group group, Minute minute) {
        if (minute.count == 0) {
            return;
        }
        LogContext context = LogContext.enterNone();
        try {
            long seconds = Duration.ofNanos(nanos.getAsLong() - minute.begun).toSeconds();
            if (group.code().equals(HANDLED)) {
                log.info(
                        "{} handled {} more {} after failed attempts within {} s",
                        group.failing(),
                        minute.count,
                        minute.count == 1 ? "delivery" : "deliveries",
                        seconds);
                return;
            }
            boolean over = minute.dead == 0 && recovered.contains(group.failing());
            log.atLevel(minute.dead > 0 ? Level.ERROR : over ? Level.INFO : Level.WARN)
                    .log(
                            "{} failed {} more {} with {} within {} s{}",
                            group.failing(),
                            minute.count,
                            minute.count == 1 ? "time" : "times",
                            group.code(),
                            seconds,
                            over ? ", before an attempt succeeded" : deadLetters(minute.dead));
        } finally {
            context.leave();
        }
    }

    private static String deadLetters(long dead) {
        if (dead == 0) {
            return "";
        }
        return dead == 1
                ? ", and 1 more delivery is dead until an operator retries or skips it"
                : ", and " + dead + " more deliveries are dead until an operator retries or skips them";
    }
}
