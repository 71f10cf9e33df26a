package dev.outbox.internal.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.fixture.InBackground;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;

class RequestDeadlineTest {

    private static final Duration LONGEST = Duration.ofSeconds(2);

    private final AtomicInteger asked = new AtomicInteger();
    private volatile Callable<?> question = () -> "fast";
    private final CountDownLatch answer = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final RequestDeadline deadline = new RequestDeadline("request", 4, this::question);

    @AfterEach
    void close() {
        answer.countDown();
        deadline.close();
    }

    /** Database with two calls. */
    private interface Database {

        String ask() throws IOException;

        String hang() throws InterruptedException;
    }

    private final class Hanging implements Database {

        @Override
        public String ask() throws IOException {
            throw new IOException("refused");
        }

        @Override
        public String hang() throws InterruptedException {
            try {
                answer.await();
                ended.countDown();
                return Thread.currentThread().getName();
            } catch (InterruptedException ex) {
                interrupted.countDown();
                throw ex;
            }
        }
    }

    private final Database database = deadline.limited(Database.class, new Hanging());

    @Test
    void callsOfOneRequestShareTheDeadline() {
        assertInTime(() -> deadline.read(() -> {
            for (int call = 0; call < 3; call++) {
                assertThatThrownBy(database::hang).isInstanceOf(QueryTimeoutException.class);
            }
            return "answered";
        }));
        InBackground.awaitLatch(interrupted);
    }

    @Test
    void sharedQueryOfAnotherObjectKeepsTheDeadline() {
        try (BackgroundQueries others = new BackgroundQueries("others", 1, System::nanoTime)) {
            BackgroundQueries.Cached<String> cached = others.cached(new Hanging()::hang, Duration.ZERO);

            assertInTime(() -> deadline.read(() -> {
                assertThatThrownBy(database::hang).isInstanceOf(QueryTimeoutException.class);
                assertThatThrownBy(cached::get).isInstanceOf(QueryTimeoutException.class);
                return "answered";
            }));
        }
    }

    @Test
    void commandIsNotBegunWithoutDatabase() {
        question = () -> {
            throw new DataAccessResourceFailureException("refused");
        };

        assertThatThrownBy(() -> deadline.command(() -> {
                    answer.countDown();
                    return "changed";
                }))
                .hasMessage("nothing was changed: the database does not answer");
        assertThat(answer.getCount()).isOne();
    }

    @Test
    void commandOnSlowDatabaseGoesOn() {
        question = () -> answer.await(600, TimeUnit.MILLISECONDS);

        assertGoesOn();
    }

    @Test
    void commandGoesOnIfTheDatabaseDiesMeanwhile() {
        question = () -> asked.incrementAndGet() == 1 || answer.await(1, TimeUnit.MINUTES);

        assertGoesOn();
    }

    private void assertGoesOn() {
        assertInTime(() -> {
            assertThatThrownBy(() -> deadline.command(database::hang))
                    .hasMessageContaining("the command may go on, so look for it in the operation log");
            return "answered";
        });

        answer.countDown();
        InBackground.awaitLatch(ended);
        assertThat(interrupted.getCount()).isOne();
    }

    @Test
    void commandOnFastDatabaseTakesItsTime() throws Exception {
        question = () -> {
            if (asked.incrementAndGet() == 4) {
                answer.countDown();
            }
            return "fast";
        };

        assertThat(deadline.command(database::hang)).isEqualTo("request-command");
    }

    @Test
    void lateCommandFails() {
        assertThatThrownBy(() -> deadline.command(() -> deadline.call(() -> {
                    throw new QueryTimeoutException("a statement took too long");
                })))
                .hasMessage("a statement took too long");
    }

    @Test
    void failureOfACallIsThatOfItsObject() throws Exception {
        assertThatIOException().isThrownBy(database::ask).withMessage("refused");
        assertThat(deadline.<Boolean>read(() -> {
                    assertThatThrownBy(database::ask).hasRootCauseMessage("refused");
                    return true;
                }))
                .isTrue();
    }

    private Object question() throws Exception {
        return question.call();
    }

    private static void assertInTime(Callable<String> request) {
        long begun = System.nanoTime();
        assertThat(InBackground.result(InBackground.run(request))).isEqualTo("answered");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONGEST);
    }
}
