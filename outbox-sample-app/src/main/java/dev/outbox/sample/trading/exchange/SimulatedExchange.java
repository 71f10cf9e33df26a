package dev.outbox.sample.trading.exchange;

import dev.outbox.sample.demo.Outages;
import dev.outbox.sample.eventbus.InWorker;
import dev.outbox.sample.trading.Exchange;
import dev.outbox.sample.trading.ExchangeUnreachableException;
import dev.outbox.sample.trading.NoAnswerException;
import dev.outbox.sample.trading.Order;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Exchange that stores each order it receives, so that tests can detect orders that were sent twice. */
@InWorker
@Component
@ConditionalOnProperty(name = "trading.exchange", havingValue = "simulated", matchIfMissing = true)
final class SimulatedExchange implements Exchange {

    private static final Duration BUSY = Duration.ofSeconds(1);

    private static final String BEHAVIOUR = """
            SELECT behaviour
              FROM exchange.markets
             WHERE market = :market
            """;

    private static final String ACCEPT_FROM_NOW_ON = """
            UPDATE exchange.markets
               SET behaviour = 'ACCEPT'
             WHERE market = :market
            """;

    private static final String PLACE = """
            INSERT INTO exchange.orders (identifier, order_id, market, side, volume)
            VALUES (:identifier, :orderId, :market, :side, :volume)
            ON CONFLICT (identifier) DO UPDATE
               SET placements = orders.placements + 1
            RETURNING order_id
            """;

    private static final String FIND = """
            SELECT order_id
              FROM exchange.orders
             WHERE identifier = :identifier
            """;

    private final JdbcClient jdbc;
    private final Outages outages;

    SimulatedExchange(JdbcClient jdbc, Outages outages) {
        this.jdbc = jdbc;
        this.outages = outages;
    }

    @Override
    public Answer place(Order order) {
        checkReachable();
        return switch (behaviourIn(order.market())) {
            case ACCEPT -> new Answer.Accepted(keep(order));
            case REJECT -> new Answer.Rejected("400 invalid order");
            case THROTTLE -> new Answer.Throttled(BUSY);
            case THROTTLE_ONCE -> {
                jdbc.sql(ACCEPT_FROM_NOW_ON).param("market", order.market()).update();
                yield new Answer.Throttled(BUSY);
            }
            case LOSE_REQUEST -> throw new NoAnswerException("no answer in time");
            case LOSE_ANSWER -> {
                keep(order);
                throw new NoAnswerException("no answer in time");
            }
            case BREAK -> {
                keep(order);
                throw new NoAnswerException("500 internal error");
            }
            case UNREACHABLE -> throw new ExchangeUnreachableException("connection refused");
        };
    }

    @Override
    public Optional<String> find(String identifier) {
        checkReachable();
        return jdbc.sql(FIND)
                .param("identifier", identifier)
                .query(String.class)
                .optional();
    }

    private void checkReachable() {
        if (outages.isDown("exchange")) {
            throw new ExchangeUnreachableException("connection refused");
        }
    }

    private Behaviour behaviourIn(String market) {
        return jdbc.sql(BEHAVIOUR)
                .param("market", market)
                .query(Behaviour.class)
                .optional()
                .orElse(Behaviour.ACCEPT);
    }

    private String keep(Order order) {
        return jdbc.sql(PLACE)
                .param("identifier", order.identifier())
                .param("orderId", UUID.randomUUID().toString())
                .param("market", order.market())
                .param("side", order.side().name())
                .param("volume", order.volume())
                .query(String.class)
                .single();
    }
}
