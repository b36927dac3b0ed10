/** A running service, in a process of its own or beside others in one. */
export interface Service {
  /** Whether requests can be answered now; a rejection counts as no. */
  isReady(): Promise<boolean>;
  /** Answers what is running, then stops. What it was given stays its owner's to close. */
  close(): Promise<void>;
}
