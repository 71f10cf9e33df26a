package dev.outbox.internal.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

class BackgroundLoopTest {

    private static final Duration NEVER = Duration.ofHours(1);

    private final AtomicInteger rounds = new AtomicInteger();

    @Test
    void closeMayComeBeforeStartAndTwice() {
        BackgroundLoop duty = new BackgroundLoop("test", () -> NEVER);
        duty.close();
        duty.start();
        duty.close();
        duty.close();
    }

    @Test
    void startsAfterItsThreadFailedToStart() {
        AtomicBoolean shortage = new AtomicBoolean(true);
        BackgroundLoop duty = new BackgroundLoop(
                "test",
                new SimpleDriverDataSource(),
                () -> {
                    rounds.incrementAndGet();
                    return NEVER;
                },
                (work) -> new Thread(work) {
                    @Override
                    public void start() {
                        if (shortage.get()) {
                            throw new OutOfMemoryError("unable to create native thread: on purpose");
                        }
                        super.start();
                    }
                });
        assertThatThrownBy(duty::start).isInstanceOf(OutOfMemoryError.class);
        assertThat(duty.close(Duration.ZERO)).isTrue();
        assertThatThrownBy(duty::start).isInstanceOf(OutOfMemoryError.class);

        shortage.set(false);
        duty.start();
        await().until(() -> rounds.get() == 1);
        assertThat(duty.close(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void lateWakeUpEndsARestInTimeAndIsRememberedDuringARound() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        BackgroundLoop duty = inFirstRound(release);
        Duration delay = Duration.ofMillis(300);
        long begun = System.nanoTime();
        duty.wakeWithin(NEVER.dividedBy(2));
        duty.wakeWithin(delay);
        duty.wakeWithin(NEVER.dividedBy(2));
        release.countDown();
        await().until(() -> rounds.get() == 2);
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(delay.toNanos());

        duty.wakeWithin(Duration.ofMillis(1));
        await().until(() -> rounds.get() == 3);
        duty.close();
    }

    /** Starts a loop whose first round lasts until it is released. */
    private BackgroundLoop inFirstRound(CountDownLatch release) throws InterruptedException {
        CountDownLatch inRound = new CountDownLatch(1);
        BackgroundLoop duty = new BackgroundLoop("test", () -> {
            if (rounds.incrementAndGet() == 1) {
                inRound.countDown();
                release.await();
            }
            return NEVER;
        });
        duty.start();
        inRound.await();
        return duty;
    }

    @Test
    void wakeUpEndsARestAndIsRememberedDuringARound() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        BackgroundLoop duty = inFirstRound(release);
        duty.wake();
        release.countDown();
        await().until(() -> rounds.get() == 2);

        duty.wake();
        await().until(() -> rounds.get() == 3);
        duty.close();
    }

    @Test
    void wakeUpDoesNotShortenTheRestAfterAFailure() {
        BackgroundLoop duty = new BackgroundLoop("test", () -> {
            rounds.incrementAndGet();
            throw new IllegalStateException("always");
        });
        long begun = System.nanoTime();
        duty.start();
        while (Duration.ofNanos(System.nanoTime() - begun).toMillis() < 500) {
            duty.wake();
            Thread.onSpinWait();
        }
        duty.close();
        long millis = Duration.ofNanos(System.nanoTime() - begun).toMillis();
        // 100 ms, 200 ms, 400 ms, and so on, before each further round.
        assertThat(rounds.get()).isPositive();
        assertThat(100L * ((1L << (rounds.get() - 1)) - 1)).isLessThanOrEqualTo(millis);
    }

    @Test
    void tasksOfALoopRestFailAndWakeByThemselves() {
        AtomicInteger failing = new AtomicInteger();
        AtomicInteger resting = new AtomicInteger();
        BackgroundLoop loop = new BackgroundLoop("test", new SimpleDriverDataSource());
        loop.add("failing", () -> {
            failing.incrementAndGet();
            throw new AssertionError("on purpose");
        });
        BackgroundLoop.Task rest = loop.add("resting", () -> {
            resting.incrementAndGet();
            return NEVER;
        });
        loop.start();

        await().until(() -> failing.get() >= 3);
        assertThat(resting).hasValue(1);
        assertThat(loop.isFailing()).isTrue();
        rest.wake();
        await().until(() -> resting.get() == 2);
        assertThat(loop.close(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void roundWhoseFailureCannotBeLoggedIsRepeated() {
        BackgroundLoop loop = new BackgroundLoop("test", () -> {
            if (rounds.incrementAndGet() == 2) {
                throw new IllegalStateException() {

                    private static final long serialVersionUID = 1;

                    @Override
                    public String getMessage() {
                        throw new IllegalStateException("on purpose");
                    }
                };
            }
            return NEVER;
        });
        loop.start();
        await().until(() -> rounds.get() == 1);

        loop.wake();
        await().until(() -> rounds.get() == 3);
        assertThat(loop.close(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void restartedLoopBeginsAtOnce() {
        BackgroundLoop loop = new BackgroundLoop("test", () -> {
            rounds.incrementAndGet();
            return NEVER;
        });
        for (int start = 1; start <= 2; start++) {
            loop.start();
            int begun = start;
            await().until(() -> rounds.get() == begun);
            assertThat(loop.close(Duration.ofSeconds(10))).isTrue();
        }
    }

    @Test
    void closeReturnsWhenTheRoundHasEnded() throws InterruptedException {
        CountDownLatch inRound = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        BackgroundLoop[] duty = new BackgroundLoop[1];
        duty[0] = new BackgroundLoop("test", () -> {
            inRound.countDown();
            while (!duty[0].isClosing()) {
                Thread.onSpinWait();
            }
            ended.set(true);
            return NEVER;
        });
        duty[0].start();
        inRound.await();
        duty[0].close(Duration.ofSeconds(30));
        assertThat(ended).isTrue();
    }

    @Test
    void impatientCloseInterruptsTheRound() throws InterruptedException {
        CountDownLatch inRound = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        BackgroundLoop duty = new BackgroundLoop("test", () -> {
            inRound.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException ex) {
                interrupted.set(true);
            }
            return NEVER;
        });
        duty.start();
        inRound.await();
        duty.close(Duration.ofMillis(50));
        assertThat(interrupted).isTrue();
    }

    @Test
    void foreignInterruptDoesNotEndTheThread() {
        List<Thread> threads = new ArrayList<>();
        BackgroundLoop duty = new BackgroundLoop("test", () -> {
            threads.add(Thread.currentThread());
            rounds.incrementAndGet();
            return NEVER;
        });
        duty.start();
        await().until(() -> rounds.get() == 1);
        threads.get(0).interrupt();
        await().until(() -> rounds.get() == 2);
        duty.wake();
        await().until(() -> rounds.get() == 3);
        duty.close();
    }

    @Test
    void startAndCloseUnderStressNeverRunTwoThreadsAtOnce() throws InterruptedException {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        BackgroundLoop duty = new BackgroundLoop("test", () -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            rounds.incrementAndGet();
            running.decrementAndGet();
            return Duration.ZERO;
        });
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Random random = new Random(i);
            Thread thread = new Thread(() -> {
                for (int n = 0; n < 200; n++) {
                    if (random.nextBoolean()) {
                        duty.start();
                    } else {
                        duty.close(Duration.ofSeconds(10));
                    }
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        duty.start();
        await().until(() -> rounds.get() > 0);
        duty.close(Duration.ofSeconds(10));
        int after = rounds.get();
        duty.wake();
        assertThat(most).hasValue(1);
        assertThat(rounds.get()).isEqualTo(after);
    }
}
