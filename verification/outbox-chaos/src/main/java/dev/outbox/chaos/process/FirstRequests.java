package dev.outbox.chaos.process;

import org.springframework.context.SmartLifecycle;

/** Serves requests that publish, from the moment when a web server would start: before the pollers. */
final class FirstRequests implements SmartLifecycle {

    private static final int REQUESTS = 20;

    /** Phase of Spring Boot's web server. */
    private static final int PHASE = DEFAULT_PHASE - 2048;

    private final Registrations registrations;
    private final Publisher publisher;
    private final Traffic traffic;
    private volatile boolean running;

    FirstRequests(Registrations registrations, Publisher publisher, Traffic traffic) {
        this.registrations = registrations;
        this.publisher = publisher;
        this.traffic = traffic;
    }

    @Override
    public void start() {
        running = true;
        registrations.note();
        for (int request = 0; request < REQUESTS; request++) {
            publisher.publish(traffic.next());
        }
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
