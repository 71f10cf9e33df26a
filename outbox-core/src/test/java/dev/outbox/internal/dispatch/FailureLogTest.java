package dev.outbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.fixture.LoggedLines;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.MDC;

/** Thousands of failures that are alike leave a few lines a minute. */
class FailureLogTest {

    private static final HandlerDefinition MAIL = HandlerDefinition.of("mail", Set.of("*"), (event) -> {});

    /** The number of failures before the last attempt. */
    private static final int LAST =
            DispatchSettings.defaults().retry().of("default", "mail").maxAttempts() - 1;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    private final FailureLog failureLog = new FailureLog(nanos::get);
    private final FailedAttempts failures =
            new FailedAttempts(DispatchSettings.defaults(), new Random(), failureLog, FailureObserver.NONE);

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(FailureLog.class).from(Level.INFO);

    @Test
    void outageOfTwoMinutesLeavesAFewLines() {
        for (int i = 0; i < 5000; i++) {
            failures.failed(MAIL, attempt(i, i % 4 == 0 ? LAST : 1), new IllegalStateException("down"));
            pass(Duration.ofMillis(24));
            failureLog.summarize();
        }
        failureLog.summarize(Duration.ZERO);

        assertThat(log.messages())
                .satisfiesExactly(
                        (line) -> assertThat(line).startsWith("mail gave up on OrderPlaced[id=0,"),
                        (line) -> assertThat(line)
                                .startsWith(
                                        "mail failed 2499 more times with IllegalStateException within 60 s, and 624 "),
                        (line) -> assertThat(line).startsWith("mail gave up on OrderPlaced[id=2500,"),
                        (line) -> assertThat(line)
                                .startsWith(
                                        "mail failed 2499 more times with IllegalStateException within 60 s, and 624 "));
        assertThat(traced()).containsExactly(true, false, true, false);
        assertThat(log.events()).extracting(ILoggingEvent::getLevel).containsOnly(Level.ERROR);
    }

    @Test
    void everyGroupIsLoggedAtOnce() {
        failures.failed(MAIL, attempt(1, 0), new IllegalStateException("down"));
        failures.failed(MAIL, attempt(2, 0), new IOException("refused"));
        failures.failed(MAIL, attempt(3, 0), new IOException("refused"));
        failures.failed(HandlerDefinition.of("push", Set.of("*"), (event) -> {}), attempt(4, 0), new IOException("no"));

        assertThat(log.messages(Level.WARN)).hasSize(3).allMatch((line) -> line.contains("next attempt"));
        assertThat(traced()).containsOnly(true);
    }

    @Test
    void firstDeadLetterOfAGroupIsLoggedAtOnceWithoutTheTraceBefore() {
        failures.failed(MAIL, attempt(1, 0), new IllegalStateException("down"));
        failures.failed(MAIL, attempt(1, LAST), new IllegalStateException("still down"));
        failures.failed(MAIL, attempt(2, LAST), new IllegalStateException("still down"));

        assertThat(log.messages(Level.ERROR))
                .singleElement()
                .asString()
                .startsWith("mail gave up on OrderPlaced[id=1,")
                .contains("IllegalStateException: still down");
        assertThat(traced()).containsExactly(true, false);
    }

    @Test
    void countIsWrittenAtTheEndOfTheMinuteWithoutAnotherFailure() {
        IntStream.range(0, 3).forEach((i) -> failures.failed(MAIL, attempt(i, 0), new IOException("refused")));
        pass(Duration.ofSeconds(59));
        failureLog.summarize();
        assertThat(log.events()).hasSize(1);

        pass(Duration.ofSeconds(1));
        failureLog.summarize();
        failureLog.summarize();

        assertThat(log.messages()).hasSize(2).last().isEqualTo("mail failed 2 more times with IOException within 60 s");
    }

    @Test
    void countOfFailuresBeforeASuccessIsNoWarning() {
        failures.failed(MAIL, attempt(1, 0), new IOException("refused"));
        failures.failed(MAIL, attempt(1, 1), new IOException("refused"));
        failures.handled(MAIL, attempt(1, 2));
        failureLog.summarize(Duration.ZERO);
        assertThat(log.messages(Level.INFO))
                .last()
                .isEqualTo("mail failed 1 more time with IOException within 0 s, before an attempt succeeded");

        failures.failed(MAIL, attempt(2, 0), new IOException("refused"));
        failures.handled(MAIL, attempt(2, 1));
        failures.failed(MAIL, attempt(3, LAST), new IOException("refused"));
        failures.failed(MAIL, attempt(4, LAST), new IOException("refused"));
        failures.failed(MAIL, attempt(5, 0), new IOException("refused"));
        failures.handled(MAIL, attempt(5, 1));
        failureLog.summarize(Duration.ZERO);
        assertThat(log.messages(Level.ERROR))
                .last()
                .isEqualTo("mail failed 2 more times with IOException within 0 s, and 1 more delivery is dead until an"
                        + " operator retries or skips it");

        failures.failed(MAIL, attempt(6, 0), new IOException("refused"));
        failures.handled(MAIL, attempt(6, 1));
        failures.failed(MAIL, attempt(7, 0), new IOException("refused"));
        failureLog.summarize(Duration.ZERO);
        assertThat(log.messages(Level.WARN)).last().isEqualTo("mail failed 1 more time with IOException within 0 s");
    }

    @Test
    void drainOfRetriesLeavesALineAMinute() {
        failures.handled(MAIL, attempt(1, 3));
        for (int i = 0; i < 100_000; i++) {
            failures.handled(MAIL, attempt(2, 1));
        }
        failures.handled(MAIL, attempt(3, 0));
        pass(Duration.ofMinutes(1));
        failureLog.summarize();
        failures.handled(MAIL, attempt(4, 1));

        assertThat(log.messages(Level.INFO))
                .satisfiesExactly(
                        (line) -> assertThat(line)
                                .startsWith("mail handled OrderPlaced[id=1,")
                                .endsWith("] after 3 failed attempts"),
                        (line) -> assertThat(line)
                                .isEqualTo("mail handled 100000 more deliveries after failed attempts within 60 s"),
                        (line) -> assertThat(line).endsWith("] after 1 failed attempt"));
    }

    @Test
    void eventsThatFailTogetherAreCounted() {
        failures.logTogether(MAIL, 100, new IOException("refused"));
        failures.logTogether(MAIL, 40, new IOException("refused"));
        failureLog.summarize(Duration.ZERO);

        assertThat(log.messages())
                .satisfiesExactly(
                        (line) -> assertThat(line).startsWith("mail failed with 100 events"),
                        (line) -> assertThat(line).startsWith("mail failed 40 more times with IOException"));
    }

    @Test
    void eachFailureIsWrittenWithItsTraceAtDebug() {
        log.from(Level.DEBUG);
        failures.failed(MAIL, attempt(1, 0), new IOException("refused"));
        failures.failed(MAIL, attempt(2, 0), new IOException("refused"));

        assertThat(log.events()).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN, Level.DEBUG);
        assertThat(traced()).containsOnly(true);
    }

    @Test
    void codesBeyondTheBoundShareAGroup() {
        for (int i = 0; i < 5000; i++) {
            failureLog.dead("mail", "code " + i, null).log("{} is dead", i);
        }
        failureLog.summarize(Duration.ZERO);

        assertThat(log.messages())
                .hasSize(1002)
                .contains(
                        "mail failed 3999 more times with other errors within 0 s, and 3999 more deliveries are dead until an operator retries or skips them");
    }

    @Test
    void countHasNoContextOfAnEvent() {
        failures.failed(MAIL, attempt(1, 0), new NonRetryableException("no"));
        MDC.put("eventId", "7");
        failures.failed(MAIL, attempt(1, 0), new NonRetryableException("no"));
        failureLog.summarize(Duration.ZERO);

        assertThat(log.events())
                .last()
                .satisfies((line) -> assertThat(line.getMDCPropertyMap()).doesNotContainKey("eventId"));
        assertThat(MDC.get("eventId")).isEqualTo("7");
        MDC.remove("eventId");
    }

    private List<Boolean> traced() {
        return log.events().stream()
                .map((line) -> line.getThrowableProxy() != null)
                .toList();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static Attempt attempt(long id, int failures) {
        EventEnvelope event = new EventEnvelope(
                id,
                new UUID(0, id),
                "default",
                "order",
                "1",
                1,
                "OrderPlaced",
                1,
                "{}",
                Map.of(),
                Instant.EPOCH,
                false);
        return new Attempt(event, null, failures + 1, failures, 0, null);
    }
}
