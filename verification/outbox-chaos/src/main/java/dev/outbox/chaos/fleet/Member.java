package dev.outbox.chaos.fleet;

import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.process.Commands;
import dev.outbox.testing.TcpProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A publisher or worker: a process that is started again whenever it ends, behind a network of its own. */
public final class Member {

    private static final Duration STOP_DEADLINE = Duration.ofSeconds(60);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(5);

    private final String name;
    private final TcpProxy proxy;
    private final Path directory;
    private final FactWriter facts;
    private final Supplier<List<String>> options;
    private final Object gate = new Object();
    private final AtomicInteger unexpectedEnds = new AtomicInteger();
    private volatile Life life;
    private volatile boolean stopping;
    private volatile boolean held;
    private int lives;

    Member(String name, TcpProxy proxy, Path directory, FactWriter facts, Supplier<List<String>> options) {
        this.name = name;
        this.proxy = proxy;
        this.directory = directory;
        this.facts = facts;
        this.options = options;
        this.life = begin();
        Thread supervisor = new Thread(this::supervise, name + "-supervisor");
        supervisor.setDaemon(true);
        supervisor.start();
    }

    private Life begin() {
        lives++;
        return Life.begin(name + "." + lives, directory, options.get());
    }

    private void supervise() {
        while (true) {
            life.process().awaitEnd();
            if (stopping) {
                return;
            }
            if (!life.isEndExpected() && life.hasBeenReady()) {
                unexpectedEnds.incrementAndGet();
            }
            while (!beginsUnlessHeld()) {
                Pause.of(BETWEEN_LOOKS);
            }
        }
    }

    private boolean beginsUnlessHeld() {
        synchronized (gate) {
            if (!held) {
                life = begin();
            }
            return !held;
        }
    }

    /** Name of the member, which its lives share. */
    public String name() {
        return name;
    }

    /** Network between the member and the database. */
    public TcpProxy proxy() {
        return proxy;
    }

    /** Whether its process has started and not ended. */
    public boolean isReady() {
        return life.isReady();
    }

    /** Returns how many of its processes ended unexpectedly. */
    int unexpectedEnds() {
        return unexpectedEnds.get();
    }

    /** Name of its current process in the facts. */
    public String process() {
        return life.name();
    }

    /** Writes a command to its process. */
    public void tell(String command, long number) {
        life.tell(command + " " + number);
    }

    /** Kills its process with SIGKILL, unless it is not ready any more. */
    public synchronized boolean kill() {
        Life victim = life;
        if (!victim.isReady()) {
            return false;
        }
        facts.write(Fault.begun(System.nanoTime(), Kind.KILL, victim.name(), "SIGKILL"));
        victim.kill();
        facts.write(Fault.ended(System.nanoTime(), Kind.KILL, victim.name(), "ended"));
        return true;
    }

    /** Suspends its process with SIGSTOP for some time, unless it is not ready any more. */
    public synchronized boolean suspend(Duration time) {
        Life victim = life;
        if (!victim.isReady()) {
            return false;
        }
        facts.write(Fault.begun(System.nanoTime(), Kind.SUSPEND, victim.name(), "SIGSTOP for " + time));
        victim.process().suspend();
        Pause.of(time);
        victim.process().resume();
        facts.write(Fault.ended(System.nanoTime(), Kind.SUSPEND, victim.name(), "SIGCONT"));
        return true;
    }

    /** Stops its process in order, which is then started again with new options, unless it is not ready any more. */
    public synchronized boolean restart(String note) {
        Life ending = life;
        if (!ending.isReady()) {
            return false;
        }
        end(ending, note);
        return true;
    }

    /** Keeps its next process from starting until {@link #release()}. */
    public void hold() {
        synchronized (gate) {
            held = true;
        }
    }

    /** Whether its process has ended; the next one may have begun, unless it is held. */
    public boolean hasEnded() {
        return !life.process().isAlive();
    }

    /** Lets its next process start. */
    public void release() {
        held = false;
    }

    /** Stops its process in order, for good. */
    public synchronized void stop() {
        stopping = true;
        held = false;
        Life last = life;
        if (!last.isReady()) {
            last.kill();
        } else {
            end(last, "end of the run");
        }
    }

    /** Kills its process, for good. */
    void abandon() {
        stopping = true;
        held = false;
        life.kill();
        proxy.close();
    }

    private void end(Life ending, String note) {
        facts.write(Fault.begun(System.nanoTime(), Kind.STOP, ending.name(), note));
        ending.expectEnd();
        ending.tell(Commands.STOP);
        if (!Pause.until(STOP_DEADLINE, () -> !ending.process().isAlive())) {
            throw new IllegalStateException(ending.name() + " did not stop within " + STOP_DEADLINE);
        }
        facts.write(Fault.ended(System.nanoTime(), Kind.STOP, ending.name(), note));
    }
}
