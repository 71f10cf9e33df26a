package dev.outbox.test;

import java.sql.SQLException;
import org.springframework.context.SmartLifecycle;

/**
 * Empties the tables and registers the handlers when the context starts, and removes the registrations when it closes, or when Spring
 * pauses it for another test context.
 */
final class TesterLifecycle implements SmartLifecycle {

    private final OutboxTester tester;
    private final TestRegistrations registrations;
    private volatile boolean running;

    TesterLifecycle(OutboxTester tester, TestRegistrations registrations) {
        this.tester = tester;
        this.registrations = registrations;
    }

    @Override
    public void start() {
        tester.empty();
        try {
            registrations.add(() -> tester.delivery().register());
        } catch (SQLException ex) {
            throw new IllegalStateException("the handlers of the test could not be registered", ex);
        }
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        registrations.remove();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before the application's own components, which may publish when they start. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE + 1000;
    }
}
