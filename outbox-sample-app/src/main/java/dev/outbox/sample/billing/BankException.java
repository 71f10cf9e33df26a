package dev.outbox.sample.billing;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** The bank has not answered, so the outcome of a charge is unknown. Billing repeats the charge under its id. */
public final class BankException extends ResponseStatusException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception that names the charge. */
    public BankException(Charge charge, String problem) {
        super(
                HttpStatus.SERVICE_UNAVAILABLE,
                "%s; charge %s of subscription %s will be repeated"
                        .formatted(problem, charge.id(), charge.subscriptionId()));
    }
}
