package dev.outbox.chaos.matrix;

import dev.outbox.internal.fault.FaultPoint;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Stops one thread of this process at the n-th hit of a fault point until it is released. Does nothing before it is armed. */
public final class Trap implements FaultPoint.Hook {

    private static volatile @Nullable Armed armed;
    private static volatile @Nullable CountDownLatch held;

    /** A trap that waits for its point, or holds a thread there. */
    private record Armed(FaultPoint point, AtomicInteger hitsLeft, Runnable sprung, CountDownLatch released) {}

    /** Creates the provider that the service loader finds. */
    public Trap() {}

    static void arm(FaultPoint point, int hit, Runnable sprung) {
        armed = new Armed(point, new AtomicInteger(hit), sprung, new CountDownLatch(1));
    }

    /** Releases the held thread and disarms the trap. */
    static void release() {
        Armed current = armed;
        armed = null;
        if (current != null) {
            current.released().countDown();
        }
    }

    /** Waits while a thread is held: a commit of another one would flush what the server is to forget. */
    static void awaitNoneHeld() {
        CountDownLatch current = held;
        if (current != null) {
            hold(current);
        }
    }

    @Override
    public void reached(FaultPoint point) {
        Armed current = armed;
        if (current != null && current.point() == point && current.hitsLeft().decrementAndGet() == 0) {
            held = current.released();
            current.sprung().run();
            hold(current.released());
        }
    }

    private static void hold(CountDownLatch released) {
        boolean interrupted = false;
        while (true) {
            try {
                released.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
