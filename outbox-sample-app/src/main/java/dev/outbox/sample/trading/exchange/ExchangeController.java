package dev.outbox.sample.trading.exchange;

import dev.outbox.sample.trading.Fills;
import dev.outbox.sample.trading.UnknownAttemptException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import java.math.BigDecimal;
import java.util.List;
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
@RestController
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

    /** Executes an order, and reports it as an exchange would. */
    @PostMapping("/orders/{identifier}/fill")
    void fill(@PathVariable String identifier) {
        try {
            fills.record(identifier);
        } catch (UnknownAttemptException ex) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, ex.getMessage(), ex);
        }
    }

    record Behave(@NotNull Behaviour behaviour) {}

    record ExchangeOrder(
            String identifier, String orderId, String market, String side, BigDecimal volume, int placements) {}
}
