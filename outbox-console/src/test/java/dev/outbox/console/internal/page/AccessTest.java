package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.outbox.console.internal.web.Access;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

/** What signed-in users may do, by their authorities. */
class AccessTest {

    private final TestConsole console = TestConsole.secured(new Access("ops", "readers"));
    private final OutboxInspector inspector = console.inspector;
    private final OutboxOperations operations = console.operations;

    @ParameterizedTest
    @CsvSource({
        "ops, 200, 303, false",
        "readers, 200, 403, true",
        "ROLE_OUTBOX_OPERATOR, 403, 403, true",
        "USER, 403, 403, true"
    })
    void operatorsChangeAndViewersLook(String authority, int look, int change, boolean viewer) throws Exception {
        when(inspector.overview()).thenReturn(PageFixture.overview());
        when(operations.pauseHandler(any(), any(), any())).thenReturn(true);
        MockHttpServletRequestBuilder pause = post("/outbox/pause")
                .param("subject", "handler")
                .param("name", "mail")
                .param("reason", "why")
                .header("Sec-Fetch-Site", "same-origin");

        MockHttpServletResponse overview = as(authority, get("/outbox"));
        assertThat(overview.getStatus()).isEqualTo(look);
        assertThat(overview.getContentAsString().contains("class=\"viewer\"")).isEqualTo(viewer);
        assertThat(as(authority, pause).getStatus()).isEqualTo(change);
        verify(operations, change == 303 ? times(1) : never()).pauseHandler("mail", "ann", "why");
    }

    @Test
    void refusalNamesTheAuthorities() throws Exception {
        assertThat(as("USER", get("/outbox")).getContentAsString()).contains("ann lacks the authority ops or readers");
    }

    private MockHttpServletResponse as(String authority, MockHttpServletRequestBuilder request) throws Exception {
        return console.send(request.principal(new TestingAuthenticationToken("ann", "", authority)));
    }
}
