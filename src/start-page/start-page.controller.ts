import { existsSync } from 'node:fs';
import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { DEMO_DROPSITE, DEMO_EMAIL } from '../embedded/demo.js';
import { AccountsService } from '../modules/accounts/index.js';
import { hasConsole } from '../modules/console/index.js';
import { DropsitesService } from '../modules/dropsites/index.js';
import { IgnoresCredentials, Public } from '../shared/auth/index.js';
import { Config } from '../shared/config/index.js';
import { isFromThisMachine } from '../shared/http/index.js';
import { VERSION } from '../shared/version.js';
import { PagesService, ProblemPageFilter, publishFolder, sendPage } from '../shared/web/index.js';

const PAGE = new URL('./start-page.eta', import.meta.url);
/** The sample media of the tour; `scripts/make-samples.mjs` makes them. An installation may have left them out. */
const SAMPLES = new URL(import.meta.url.includes('/dist/') ? '../../../samples/' : '../../samples/', import.meta.url);

/** The data of start-page.eta. */
interface StartPage {
  readonly title: string;
  readonly version: string;
  readonly hasConsole: boolean;
  /** What only the person at the machine of a service in development sees; null: anyone else. */
  readonly development: Development | null;
}

interface Development {
  /** The path of the demo dropsite; null: the service has no demo data. */
  readonly dropsite: string | null;
  readonly samples: readonly string[];
  readonly hasMailbox: boolean;
}

/** The page at `/`: what runs here, and where to go on. In a browser with JavaScript it leads to the console, if there is one. */
@ApiExcludeController()
@Public()
@IgnoresCredentials()
@UseFilters(ProblemPageFilter)
@Controller()
export class StartPageController {
  private readonly samples: readonly string[];

  constructor(
    private readonly config: Config,
    private readonly accounts: AccountsService,
    private readonly dropsites: DropsitesService,
    private readonly pages: PagesService,
  ) {
    this.samples = config.nodeEnv !== 'production' && existsSync(SAMPLES) ? publishFolder('/samples', SAMPLES) : [];
  }

  /** Shows browsers the page; other clients get the same addresses as JSON, the person at the machine also those of the sample media. */
  @Get()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { serviceName, publicUrl } = this.config;
    response.vary('Accept');
    const isDevelopment = this.config.nodeEnv !== 'production' && isFromThisMachine(request, this.config);
    if (request.accepts(['json', 'html']) !== 'html') {
      const addresses = { documentation: `${publicUrl}/docs`, openapi: `${publicUrl}/docs/openapi.json`, account: `${publicUrl}/account` };
      const pages = hasConsole(this.config) ? { ...addresses, console: `${publicUrl}/console` } : addresses;
      const samples = isDevelopment ? { samples: this.samples.map((name) => `${publicUrl}/samples/${name}`) } : {};
      return void response.json({ service: serviceName, version: VERSION, ...pages, ...samples });
    }
    const development = isDevelopment ? await this.describeDevelopment() : null;
    sendPage(
      response,
      200,
      this.pages.render<StartPage>(PAGE, { title: 'Welcome', version: VERSION, hasConsole: hasConsole(this.config), development }),
    );
  }

  private async describeDevelopment(): Promise<Development> {
    const user = await this.accounts.findByEmail(DEMO_EMAIL);
    const dropsite = user && (await this.dropsites.findByName(user.id, DEMO_DROPSITE));
    return { dropsite: dropsite ? `/d/${dropsite.link}` : null, samples: this.samples, hasMailbox: !this.config.smtpUrl };
  }
}
