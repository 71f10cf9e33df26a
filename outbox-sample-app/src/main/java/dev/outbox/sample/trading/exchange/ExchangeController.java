package dev.outbox.sample.trading.exchange;

import dev.outbox.sample.eventbus.InWorker;
import dev.outbox.sample.trading.Fill;
import dev.outbox.sample.trading.Fills;
import dev.outbox.sample.trading.UnknownAttemptException;
import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import java.math.BigDecimal;
import java.util.List;
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

/** The simulated exchange over HTTP: its orders, its behaviour and its executions. */
@InWorker
@RestController
@ConditionalOnProperty(name = "trading.exchange", havingValue = "simulated", matchIfMissing = true)
@RequestMapping("/exchange")
final class ExchangeController {

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

    private static final String ORDER_ID = """
            SELECT order_id
              FROM exchange.orders
             WHERE identifier = :identifier
            """;

    private final JdbcClient jdbc;
    private final Fills fills;

    ExchangeController(JdbcClient jdbc, Fills fills) {
        this.jdbc = jdbc;
        this.fills = fills;
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
        String orderId = jdbc.sql(ORDER_ID)
                .param("identifier", identifier)
                .query(String.class)
                .optional()
                .orElse(identifier);
        try {
            if (!fills.record(new Fill(identifier, request.fillId(), orderId, request.volume()))) {
                throw new ResponseStatusException(HttpStatus.CONFLICT, "fill " + request.fillId() + " is not booked");
            }
        } catch (UnknownAttemptException ex) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, ex.getMessage(), ex);
        }
    }

    record Behave(@NotNull Behaviour behaviour) {}

    record ReportFill(
            @Name String fillId, @NotNull @Positive BigDecimal volume) {}

    record ExchangeOrder(
            String identifier, String orderId, String market, String side, BigDecimal volume, int placements) {}
}
