package dev.outbox.kafka.internal.forwarder;

/** Route with the client that sends its records. */
public record Forwarder(
        String name, Route route, Client client, RecordFactory records, RouteFaults faults, ServiceSource source) {

    /** Producer with its configuration. Several routes may share one. */
    public record Client(ProducerSettings settings, SharedProducer producer, RecordSender sender) {

        /** Creates the sender of a producer. */
        public static Client of(ProducerSettings settings, SharedProducer producer) {
            return new Client(settings, producer, new RecordSender(producer, settings.patience(), System::nanoTime));
        }
    }

    /** Creates the producers of routes. A test kit has one that records. */
    @FunctionalInterface
    public interface Producers {

        /** Returns a producer that connects on its first use. */
        SharedProducer create(ProducerSettings settings);
    }

    /** Returns the handler of the route's events. */
    public ForwardingHandler handler() {
        return new ForwardingHandler(name, records, client.sender(), faults, source::require);
    }

    /** Reports a topic that cannot be used before the first event needs it. */
    public void check() {
        if (!route.topic().contains(Route.AGGREGATE_TYPE)) {
            SendFailure failure = client.sender().check(route.topic());
            boolean stopped = Thread.currentThread().isInterrupted();
            if (failure != null && !stopped) {
                faults.failed(name, failure);
            }
        }
    }

    /** Describes the route, for the log. */
    @Override
    public String toString() {
        return name + " to topic " + route.topic();
    }
}
