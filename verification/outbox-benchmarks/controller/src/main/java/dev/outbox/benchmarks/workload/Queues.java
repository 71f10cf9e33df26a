package dev.outbox.benchmarks.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.testing.RabbitProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Queues of RabbitMQ behind an exchange that sends all messages of an account to the same one. */
final class Queues implements Destination {

    private static final String EXCHANGE = "events";
    private static final long LONGEST_WAIT_SECONDS = 10;

    private final RabbitProcess broker = RabbitProcess.start();
    private final Thread closer = new Thread(broker::close, "rabbit-stop");
    private final List<String> names = new ArrayList<>();
    private final Channel channel;

    /** Starts the broker and declares the queues. */
    Queues(int number) throws IOException, TimeoutException {
        Runtime.getRuntime().addShutdownHook(closer);
        ConnectionFactory factory = new ConnectionFactory();
        factory.setPort(broker.port());
        Connection connection = factory.newConnection();
        this.channel = connection.createChannel();
        channel.exchangeDeclare(EXCHANGE, "x-consistent-hash", true);
        for (int queue = 0; queue < number; queue++) {
            String name = EXCHANGE + "-" + queue;
            channel.queueDeclare(name, true, false, false, Map.of());
            channel.queueBind(name, EXCHANGE, "1");
            names.add(name);
        }
    }

    @Override
    public Map<String, String> properties() {
        return Map.of("spring.rabbitmq.port", Integer.toString(broker.port()));
    }

    @Override
    public long size() throws IOException {
        long size = 0;
        for (String name : names) {
            size += channel.messageCount(name);
        }
        return size;
    }

    @Override
    public List<Entry> read() throws IOException, InterruptedException {
        long size = size();
        BlockingQueue<Delivery> received = new LinkedBlockingQueue<>();
        for (String name : names) {
            channel.basicConsume(name, true, (tag, message) -> received.add(message), (tag) -> {});
        }
        List<Entry> entries = new ArrayList<>();
        while (entries.size() < size) {
            Delivery message = received.poll(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
            if (message == null) {
                throw new IllegalStateException("received " + entries.size() + " of " + size + " messages");
            }
            entries.add(Destination.entry(
                    message.getEnvelope().getRoutingKey(), new String(message.getBody(), UTF_8), entries.size() + 1));
        }
        return entries;
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(closer);
        channel.getConnection().abort();
        broker.close();
    }
}
