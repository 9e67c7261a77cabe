/** 8-bit sRGB pixels of a picture, a frame or a piece of one, rows top to bottom: width * height * 3 bytes R, G, B. */
export interface Picture {
  readonly pixels: Buffer
  readonly width: number
  readonly height: number
}
