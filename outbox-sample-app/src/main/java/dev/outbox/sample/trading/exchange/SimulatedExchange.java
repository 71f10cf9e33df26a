package dev.outbox.sample.trading.exchange;

import dev.outbox.sample.demo.Outages;
import dev.outbox.sample.eventbus.InWorker;
import dev.outbox.sample.trading.Exchange;
import dev.outbox.sample.trading.ExchangeUnreachableException;
import dev.outbox.sample.trading.Fill;
import dev.outbox.sample.trading.Fills;
import dev.outbox.sample.trading.NoAnswerException;
import dev.outbox.sample.trading.Order;
import dev.outbox.sample.trading.UnknownAttemptException;
import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Exchange that stores each order it receives, so that tests can detect orders that were sent twice. Shows its orders over HTTP, where it is
 * told to misbehave and to execute orders.
 */
@InWorker
@RestController
@RequestMapping("/exchange")
@ConditionalOnProperty(name = "trading.exchange", havingValue = "simulated", matchIfMissing = true)
final class SimulatedExchange implements Exchange {

    private static final Duration BUSY = Duration.ofSeconds(1);

    private static final String BEHAVIOUR = """
            SELECT behaviour
              FROM exchange.markets
             WHERE market = :market
            """;

    private static final String BEHAVE = """
            INSERT INTO exchange.markets (market, behaviour)
            VALUES (:market, :behaviour)
            ON CONFLICT (market) DO UPDATE
               SET behaviour = excluded.behaviour
            """;

    private static final String IN_MARKET = """
            SELECT identifier, order_id, market, side, volume, placements
              FROM exchange.orders
             WHERE market = :market
             ORDER BY placed_at
             LIMIT 100
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
    private final Fills fills;

    SimulatedExchange(JdbcClient jdbc, Outages outages, Fills fills) {
        this.jdbc = jdbc;
        this.outages = outages;
        this.fills = fills;
    }

    @Override
    public Answer place(Order order) {
        checkReachable();
        return switch (behaviourIn(order.market())) {
            case ACCEPT -> new Answer.Accepted(keep(order));
            case REJECT -> new Answer.Rejected("400 invalid order");
            case THROTTLE -> new Answer.Throttled(BUSY);
            case THROTTLE_ONCE -> {
                behave(order.market(), new Behave(Behaviour.ACCEPT));
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
        return orderId(identifier);
    }

    @PutMapping("/markets/{market}")
    void behave(@PathVariable String market, @Valid @RequestBody Behave request) {
        jdbc.sql(BEHAVE)
                .param("market", market)
                .param("behaviour", request.behaviour().name())
                .update();
    }

    @GetMapping("/markets/{market}/orders")
    List<ExchangeOrder> orders(@PathVariable String market) {
        return jdbc.sql(IN_MARKET)
                .param("market", market)
                .query(ExchangeOrder.class)
                .list();
    }

    /** Executes a part of an order and reports it, even if the order's request is still under way and the exchange does not list it yet. */
    @PostMapping("/orders/{identifier}/fills")
    void fill(@PathVariable String identifier, @Valid @RequestBody ReportFill request) {
        String orderId = orderId(identifier).orElse(identifier);
        try {
            if (!fills.record(new Fill(identifier, request.fillId(), orderId, request.volume()))) {
                throw new ResponseStatusException(HttpStatus.CONFLICT, "fill " + request.fillId() + " is not booked");
            }
        } catch (UnknownAttemptException ex) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, ex.getMessage(), ex);
        }
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

    private Optional<String> orderId(String identifier) {
        return jdbc.sql(FIND)
                .param("identifier", identifier)
                .query(String.class)
                .optional();
    }

    record Behave(@NotNull Behaviour behaviour) {}

    record ReportFill(
            @Name String fillId, @NotNull @Positive BigDecimal volume) {}

    record ExchangeOrder(
            String identifier, String orderId, String market, String side, BigDecimal volume, int placements) {}
}
