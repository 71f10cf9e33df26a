package dev.outbox.chaos.process;

import org.springframework.context.SmartLifecycle;

/** Runs the publisher on a thread of its own while the application runs. */
final class Publishing implements SmartLifecycle {

    private final Publisher publisher;
    private final Thread thread;

    Publishing(Publisher publisher) {
        this.publisher = publisher;
        this.thread = new Thread(publisher::run, "publisher");
    }

    @Override
    public void start() {
        thread.start();
    }

    /** Returns when the last transaction has ended. */
    @Override
    public void stop() {
        publisher.stop();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return thread.isAlive();
    }
}
